/* The records that a call begins and ends with. */
#include "mpi/polls.h"

void call_put_enter(uint32_t function, uint64_t ticks, const void *code) {
  code = fortran_has(code) ? NULL : code;
  const struct record_mpi_enter record = {.type = RECORD_mpi_enter,
                                          .failed_tests = polls_flush(),
                                          .codeptr = (uint64_t)(uintptr_t)code,
                                          .function = function};
  mpi.recorder->put((const struct record *)&record, NULL, ticks, code);
}

void call_put_leave(uint32_t function) {
  const struct record_mpi_leave record = {.type = RECORD_mpi_leave, .function = function};
  mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
}

void call_enter(struct call *call, uint64_t ticks) {
  call->is_entered = mpi_records(mpi_class(call->function));
  if (call->is_entered)
    call_put_enter(call->function, ticks, call->code);
}

void call_leave(const struct call *call) {
  if (call->is_entered)
    call_put_leave(call->function);
}

void call_plain(struct call *call) {
  call_enter(call, 0);
  call_invoke(call);
  call_leave(call);
}
