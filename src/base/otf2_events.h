/* Every kind of event that OTF2 has, with its fields: one list, from which are made the event structure of
 * readers, their callbacks, the table of fields, and what writes events.
 *
 * TRACE_KINDS(K) calls K(Kind) for each, in the order of their numbers in files; TRACE_KINDS_OF(K, A) calls
 * A(Kind) for those that have arrays, and for what is no kind. TRACE_FIELDS_Kind(F) calls F(type, name,
 * meaning) for each field. meaning is the definition that the number refers to (region, comm, string ...),
 * the enumeration of OTF2's that it comes from (paradigm, lock_type ...), or number, ticks or array. Order
 * and types are those of OTF2's callbacks. */
#ifndef STAVE_BASE_OTF2_EVENTS_H
#define STAVE_BASE_OTF2_EVENTS_H

#include <stdint.h>

union OTF2_MetricValue_union; /* OTF2_MetricValue */

#define TRACE_KINDS(K) TRACE_KINDS_OF(K, K)

/* clang-format off */
#define TRACE_KINDS_OF(K, A)                                                                                 \
  A(Unknown) K(BufferFlush) K(MeasurementOnOff) K(Enter) K(Leave) K(MpiSend) K(MpiIsend) K(MpiIsendComplete) \
  K(MpiIrecvRequest) K(MpiRecv) K(MpiIrecv) K(MpiRequestTest) K(MpiRequestCancelled) K(MpiCollectiveBegin)   \
  K(MpiCollectiveEnd) K(OmpFork) K(OmpJoin) K(OmpAcquireLock) K(OmpReleaseLock) K(OmpTaskCreate)             \
  K(OmpTaskSwitch) K(OmpTaskComplete) A(Metric) K(ParameterString) K(ParameterInt) K(ParameterUnsignedInt)   \
  K(RmaWinCreate) K(RmaWinDestroy) K(RmaCollectiveBegin) K(RmaCollectiveEnd) K(RmaGroupSync)                 \
  K(RmaRequestLock) K(RmaAcquireLock) K(RmaTryLock) K(RmaReleaseLock) K(RmaSync) K(RmaWaitChange) K(RmaPut)  \
  K(RmaGet) K(RmaAtomic) K(RmaOpCompleteBlocking) K(RmaOpCompleteNonBlocking) K(RmaOpTest)                   \
  K(RmaOpCompleteRemote) K(ThreadFork) K(ThreadJoin) K(ThreadTeamBegin) K(ThreadTeamEnd)                     \
  K(ThreadAcquireLock) K(ThreadReleaseLock) K(ThreadTaskCreate) K(ThreadTaskSwitch) K(ThreadTaskComplete)    \
  K(ThreadCreate) K(ThreadBegin) K(ThreadWait) K(ThreadEnd) K(CallingContextEnter) K(CallingContextLeave)    \
  K(CallingContextSample) K(IoCreateHandle) K(IoDestroyHandle) K(IoDuplicateHandle) K(IoSeek)                \
  K(IoChangeStatusFlags) K(IoDeleteFile) K(IoOperationBegin) K(IoOperationTest) K(IoOperationIssued)         \
  K(IoOperationComplete) K(IoOperationCancelled) K(IoAcquireLock) K(IoReleaseLock) K(IoTryLock)              \
  A(ProgramBegin) K(ProgramEnd) K(NonBlockingCollectiveRequest) K(NonBlockingCollectiveComplete)             \
  K(CommCreate) K(CommDestroy)

#define TRACE_FIELDS_Unknown(F)
#define TRACE_FIELDS_BufferFlush(F) F(uint64_t, stop, ticks)
#define TRACE_FIELDS_MeasurementOnOff(F) F(uint8_t, mode, measurement_mode)
#define TRACE_FIELDS_Enter(F) F(uint32_t, region, region)
#define TRACE_FIELDS_Leave(F) F(uint32_t, region, region)
#define TRACE_FIELDS_MpiSend(F)                                                                              \
  F(uint32_t, receiver, number) F(uint32_t, comm, comm) F(uint32_t, msg_tag, number)                         \
  F(uint64_t, msg_length, number)
#define TRACE_FIELDS_MpiIsend(F)                                                                             \
  F(uint32_t, receiver, number) F(uint32_t, comm, comm) F(uint32_t, msg_tag, number)                         \
  F(uint64_t, msg_length, number) F(uint64_t, request, number)
#define TRACE_FIELDS_MpiIsendComplete(F) F(uint64_t, request, number)
#define TRACE_FIELDS_MpiIrecvRequest(F) F(uint64_t, request, number)
#define TRACE_FIELDS_MpiRecv(F)                                                                              \
  F(uint32_t, sender, number) F(uint32_t, comm, comm) F(uint32_t, msg_tag, number)                           \
  F(uint64_t, msg_length, number)
#define TRACE_FIELDS_MpiIrecv(F)                                                                             \
  F(uint32_t, sender, number) F(uint32_t, comm, comm) F(uint32_t, msg_tag, number)                           \
  F(uint64_t, msg_length, number) F(uint64_t, request, number)
#define TRACE_FIELDS_MpiRequestTest(F) F(uint64_t, request, number)
#define TRACE_FIELDS_MpiRequestCancelled(F) F(uint64_t, request, number)
#define TRACE_FIELDS_MpiCollectiveBegin(F)
#define TRACE_FIELDS_MpiCollectiveEnd(F)                                                                     \
  F(uint8_t, collective_op, collective_op) F(uint32_t, comm, comm) F(uint32_t, root, number)                 \
  F(uint64_t, size_sent, number) F(uint64_t, size_received, number)
#define TRACE_FIELDS_OmpFork(F) F(uint32_t, requested, number)
#define TRACE_FIELDS_OmpJoin(F)
#define TRACE_FIELDS_OmpAcquireLock(F) F(uint32_t, lock, number) F(uint32_t, order, number)
#define TRACE_FIELDS_OmpReleaseLock(F) F(uint32_t, lock, number) F(uint32_t, order, number)
#define TRACE_FIELDS_OmpTaskCreate(F) F(uint64_t, task, number)
#define TRACE_FIELDS_OmpTaskSwitch(F) F(uint64_t, task, number)
#define TRACE_FIELDS_OmpTaskComplete(F) F(uint64_t, task, number)
#define TRACE_FIELDS_Metric(F)                                                                               \
  F(uint32_t, metric, metric) F(uint8_t, count, number) F(const uint8_t *, types, array)                     \
  F(const union OTF2_MetricValue_union *, values, array)
#define TRACE_FIELDS_ParameterString(F) F(uint32_t, parameter, parameter) F(uint32_t, string, string)
#define TRACE_FIELDS_ParameterInt(F) F(uint32_t, parameter, parameter) F(int64_t, value, number)
#define TRACE_FIELDS_ParameterUnsignedInt(F) F(uint32_t, parameter, parameter) F(uint64_t, value, number)
#define TRACE_FIELDS_RmaWinCreate(F) F(uint32_t, win, rma_win)
#define TRACE_FIELDS_RmaWinDestroy(F) F(uint32_t, win, rma_win)
#define TRACE_FIELDS_RmaCollectiveBegin(F)
#define TRACE_FIELDS_RmaCollectiveEnd(F)                                                                     \
  F(uint8_t, collective_op, collective_op) F(uint32_t, sync_level, rma_sync_level) F(uint32_t, win, rma_win) \
  F(uint32_t, root, number) F(uint64_t, bytes_sent, number) F(uint64_t, bytes_received, number)
#define TRACE_FIELDS_RmaGroupSync(F)                                                                         \
  F(uint32_t, sync_level, rma_sync_level) F(uint32_t, win, rma_win) F(uint32_t, group, group)
#define TRACE_FIELDS_RmaRequestLock(F)                                                                       \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint64_t, lock, number)                            \
  F(uint8_t, lock_type, lock_type)
#define TRACE_FIELDS_RmaAcquireLock(F)                                                                       \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint64_t, lock, number)                            \
  F(uint8_t, lock_type, lock_type)
#define TRACE_FIELDS_RmaTryLock(F)                                                                           \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint64_t, lock, number)                            \
  F(uint8_t, lock_type, lock_type)
#define TRACE_FIELDS_RmaReleaseLock(F)                                                                       \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint64_t, lock, number)
#define TRACE_FIELDS_RmaSync(F)                                                                              \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint8_t, sync_type, rma_sync_type)
#define TRACE_FIELDS_RmaWaitChange(F) F(uint32_t, win, rma_win)
#define TRACE_FIELDS_RmaPut(F)                                                                               \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint64_t, bytes, number)                           \
  F(uint64_t, matching_id, number)
#define TRACE_FIELDS_RmaGet(F)                                                                               \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint64_t, bytes, number)                           \
  F(uint64_t, matching_id, number)
#define TRACE_FIELDS_RmaAtomic(F)                                                                            \
  F(uint32_t, win, rma_win) F(uint32_t, remote, number) F(uint8_t, type, rma_atomic_type)                    \
  F(uint64_t, bytes_sent, number) F(uint64_t, bytes_received, number) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_RmaOpCompleteBlocking(F) F(uint32_t, win, rma_win) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_RmaOpCompleteNonBlocking(F) F(uint32_t, win, rma_win) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_RmaOpTest(F) F(uint32_t, win, rma_win) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_RmaOpCompleteRemote(F) F(uint32_t, win, rma_win) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_ThreadFork(F) F(uint8_t, paradigm, paradigm) F(uint32_t, requested, number)
#define TRACE_FIELDS_ThreadJoin(F) F(uint8_t, paradigm, paradigm)
#define TRACE_FIELDS_ThreadTeamBegin(F) F(uint32_t, comm, comm)
#define TRACE_FIELDS_ThreadTeamEnd(F) F(uint32_t, comm, comm)
#define TRACE_FIELDS_ThreadAcquireLock(F)                                                                    \
  F(uint8_t, paradigm, paradigm) F(uint32_t, lock, number) F(uint32_t, order, number)
#define TRACE_FIELDS_ThreadReleaseLock(F)                                                                    \
  F(uint8_t, paradigm, paradigm) F(uint32_t, lock, number) F(uint32_t, order, number)
#define TRACE_FIELDS_ThreadTaskCreate(F)                                                                     \
  F(uint32_t, comm, comm) F(uint32_t, thread, number) F(uint32_t, generation, number)
#define TRACE_FIELDS_ThreadTaskSwitch(F)                                                                     \
  F(uint32_t, comm, comm) F(uint32_t, thread, number) F(uint32_t, generation, number)
#define TRACE_FIELDS_ThreadTaskComplete(F)                                                                   \
  F(uint32_t, comm, comm) F(uint32_t, thread, number) F(uint32_t, generation, number)
#define TRACE_FIELDS_ThreadCreate(F) F(uint32_t, comm, comm) F(uint64_t, sequence_count, number)
#define TRACE_FIELDS_ThreadBegin(F) F(uint32_t, comm, comm) F(uint64_t, sequence_count, number)
#define TRACE_FIELDS_ThreadWait(F) F(uint32_t, comm, comm) F(uint64_t, sequence_count, number)
#define TRACE_FIELDS_ThreadEnd(F) F(uint32_t, comm, comm) F(uint64_t, sequence_count, number)
#define TRACE_FIELDS_CallingContextEnter(F)                                                                  \
  F(uint32_t, calling_context, calling_context) F(uint32_t, unwind_distance, number)
#define TRACE_FIELDS_CallingContextLeave(F) F(uint32_t, calling_context, calling_context)
#define TRACE_FIELDS_CallingContextSample(F)                                                                 \
  F(uint32_t, calling_context, calling_context) F(uint32_t, unwind_distance, number)                         \
  F(uint32_t, interrupt_generator, interrupt_generator)
#define TRACE_FIELDS_IoCreateHandle(F)                                                                       \
  F(uint32_t, handle, io_handle) F(uint8_t, mode, io_access_mode)                                            \
  F(uint32_t, creation_flags, io_creation_flag) F(uint32_t, status_flags, io_status_flag)
#define TRACE_FIELDS_IoDestroyHandle(F) F(uint32_t, handle, io_handle)
#define TRACE_FIELDS_IoDuplicateHandle(F)                                                                    \
  F(uint32_t, old_handle, io_handle) F(uint32_t, new_handle, io_handle)                                      \
  F(uint32_t, status_flags, io_status_flag)
#define TRACE_FIELDS_IoSeek(F)                                                                               \
  F(uint32_t, handle, io_handle) F(int64_t, offset_request, number) F(uint8_t, whence, io_seek_option)       \
  F(uint64_t, offset_result, number)
#define TRACE_FIELDS_IoChangeStatusFlags(F)                                                                  \
  F(uint32_t, handle, io_handle) F(uint32_t, status_flags, io_status_flag)
#define TRACE_FIELDS_IoDeleteFile(F) F(uint8_t, io_paradigm, io_paradigm) F(uint32_t, file, io_file)
#define TRACE_FIELDS_IoOperationBegin(F)                                                                     \
  F(uint32_t, handle, io_handle) F(uint8_t, mode, io_operation_mode) F(uint32_t, flags, io_operation_flag)   \
  F(uint64_t, bytes_request, number) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_IoOperationTest(F) F(uint32_t, handle, io_handle) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_IoOperationIssued(F) F(uint32_t, handle, io_handle) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_IoOperationComplete(F)                                                                  \
  F(uint32_t, handle, io_handle) F(uint64_t, bytes_result, number) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_IoOperationCancelled(F) F(uint32_t, handle, io_handle) F(uint64_t, matching_id, number)
#define TRACE_FIELDS_IoAcquireLock(F) F(uint32_t, handle, io_handle) F(uint8_t, lock_type, lock_type)
#define TRACE_FIELDS_IoReleaseLock(F) F(uint32_t, handle, io_handle) F(uint8_t, lock_type, lock_type)
#define TRACE_FIELDS_IoTryLock(F) F(uint32_t, handle, io_handle) F(uint8_t, lock_type, lock_type)
#define TRACE_FIELDS_ProgramBegin(F)                                                                         \
  F(uint32_t, program, string) F(uint32_t, count, number) F(const uint32_t *, arguments, array)
#define TRACE_FIELDS_ProgramEnd(F) F(int64_t, exit_status, number)
#define TRACE_FIELDS_NonBlockingCollectiveRequest(F) F(uint64_t, request, number)
#define TRACE_FIELDS_NonBlockingCollectiveComplete(F)                                                        \
  F(uint8_t, collective_op, collective_op) F(uint32_t, comm, comm) F(uint32_t, root, number)                 \
  F(uint64_t, size_sent, number) F(uint64_t, size_received, number) F(uint64_t, request, number)
#define TRACE_FIELDS_CommCreate(F) F(uint32_t, comm, comm)
#define TRACE_FIELDS_CommDestroy(F) F(uint32_t, comm, comm)
/* clang-format on */

/* The numbers of kinds in files, TRACE_NUMBER_BufferFlush and so on. */
enum {
  TRACE_NUMBER_BEFORE_ALL = 8,
#define KIND(k) TRACE_NUMBER_##k,
  TRACE_KINDS(KIND)
#undef KIND
};

#endif
