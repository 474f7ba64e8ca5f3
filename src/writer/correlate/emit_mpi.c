#include "writer/correlate/emit_mpi.h"

#include <otf2/otf2.h>

#include "writer/definitions/definitions.h"

enum { MPI_LOCK = 0, MPI_PARADIGM = 0 }; /* a window has one lock for each member; the archive one paradigm */

static bool write_message(struct event_writer *w, const struct event *event, uint64_t t) {
  uint32_t comm = event->mpi_comm;
  uint8_t operation = (uint8_t)event->operation;
  switch ((unsigned)event->kind) {
  case EVENT_MPI_SEND:
    return event_writer_MpiSend(w, NULL, t, event->peer, comm, event->tag, event->bytes);
  case EVENT_MPI_RECV:
    return event_writer_MpiRecv(w, NULL, t, event->peer, comm, event->tag, event->bytes);
  case EVENT_MPI_ISEND:
    return event_writer_MpiIsend(w, NULL, t, event->peer, comm, event->tag, event->bytes, event->request);
  case EVENT_MPI_ISEND_COMPLETE:
    return event_writer_MpiIsendComplete(w, NULL, t, event->request);
  case EVENT_MPI_IRECV_REQUEST:
    return event_writer_MpiIrecvRequest(w, NULL, t, event->request);
  case EVENT_MPI_IRECV:
    return event_writer_MpiIrecv(w, NULL, t, event->peer, comm, event->tag, event->bytes, event->request);
  case EVENT_MPI_CANCELLED:
    return event_writer_MpiRequestCancelled(w, NULL, t, event->request);
  case EVENT_MPI_COLLECTIVE_BEGIN:
    return event_writer_MpiCollectiveBegin(w, NULL, t);
  case EVENT_MPI_COLLECTIVE_END:
    return event_writer_MpiCollectiveEnd(w, NULL, t, operation, comm, event->root, event->bytes,
                                         event->received);
  case EVENT_MPI_COLLECTIVE_REQUEST:
    return event_writer_NonBlockingCollectiveRequest(w, NULL, t, event->collective_request);
  case EVENT_MPI_COLLECTIVE_COMPLETE:
    return event_writer_NonBlockingCollectiveComplete(w, NULL, t, operation, comm, event->root, event->bytes,
                                                      event->received, event->collective_request);
  case EVENT_COMM_CREATE:
    return event_writer_CommCreate(w, NULL, t, comm);
  case EVENT_COMM_DESTROY:
    return event_writer_CommDestroy(w, NULL, t, comm);
  }
  return false;
}

static bool write_window(struct event_writer *w, const struct event *event, uint64_t t) {
  uint32_t window = event->window;
  uint32_t level = OTF2_RMA_SYNC_LEVEL_PROCESS;
  switch ((unsigned)event->kind) {
  case EVENT_WINDOW_CREATE:
    return event_writer_RmaWinCreate(w, NULL, t, window);
  case EVENT_WINDOW_DESTROY:
    return event_writer_RmaWinDestroy(w, NULL, t, window);
  case EVENT_WINDOW_COLLECTIVE_BEGIN:
    return event_writer_RmaCollectiveBegin(w, NULL, t);
  case EVENT_WINDOW_COLLECTIVE_END:
    level |= event->detail == OTF2_COLLECTIVE_OP_BARRIER ? OTF2_RMA_SYNC_LEVEL_MEMORY : 0; /* a fence */
    return event_writer_RmaCollectiveEnd(w, NULL, t, (uint8_t)event->detail, level, window,
                                         OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  case EVENT_WINDOW_GROUP_SYNC:
    return event_writer_RmaGroupSync(w, NULL, t, event->detail, window, event->member);
  case EVENT_WINDOW_REQUEST_LOCK:
    return event_writer_RmaRequestLock(w, NULL, t, window, event->member, MPI_LOCK, (uint8_t)event->detail);
  case EVENT_WINDOW_RELEASE_LOCK:
    return event_writer_RmaReleaseLock(w, NULL, t, window, event->member, MPI_LOCK);
  case EVENT_WINDOW_SYNC:
    return event_writer_RmaSync(w, NULL, t, window, event->member, OTF2_RMA_SYNC_TYPE_MEMORY);
  case EVENT_WINDOW_PUT:
    return event_writer_RmaPut(w, NULL, t, window, event->member, event->bytes, event->matching_id);
  case EVENT_WINDOW_GET:
    return event_writer_RmaGet(w, NULL, t, window, event->member, event->bytes, event->matching_id);
  case EVENT_WINDOW_ATOMIC:
    return event_writer_RmaAtomic(w, NULL, t, window, event->member, (uint8_t)event->detail, event->bytes,
                                  event->atomic_received, event->matching_id);
  case EVENT_WINDOW_COMPLETE:
    return event_writer_RmaOpCompleteNonBlocking(w, NULL, t, window, event->matching_id);
  case EVENT_WINDOW_COMPLETE_REMOTE:
    return event_writer_RmaOpCompleteRemote(w, NULL, t, window, event->matching_id);
  }
  return false;
}

static bool write_io(struct event_writer *w, const struct event *event, uint64_t t) {
  uint32_t handle = event->handle;
  switch ((unsigned)event->kind) {
  case EVENT_HANDLE_CREATE:
    return event_writer_IoCreateHandle(w, NULL, t, handle, (uint8_t)event->mode, event->flags & UINT16_MAX,
                                       event->flags >> 16);
  case EVENT_HANDLE_DESTROY:
    return event_writer_IoDestroyHandle(w, NULL, t, handle);
  case EVENT_FILE_DELETE:
    return event_writer_IoDeleteFile(w, NULL, t, MPI_PARADIGM, handle);
  case EVENT_IO_SEEK:
    return event_writer_IoSeek(w, NULL, t, handle, (int64_t)event->offset, (uint8_t)event->mode,
                               event->result);
  case EVENT_IO_BEGIN:
    return event_writer_IoOperationBegin(w, NULL, t, handle, (uint8_t)event->mode, event->flags, event->bytes,
                                         event->matching_id);
  case EVENT_IO_ISSUED:
    return event_writer_IoOperationIssued(w, NULL, t, handle, event->matching_id);
  case EVENT_IO_COMPLETE:
    return event_writer_IoOperationComplete(w, NULL, t, handle, event->bytes, event->matching_id);
  case EVENT_IO_CANCELLED:
    return event_writer_IoOperationCancelled(w, NULL, t, handle, event->matching_id);
  }
  return false;
}

bool emit_mpi(struct event_writer *writer, const struct event *event, uint64_t t) {
  if (event->kind < EVENT_WINDOW_CREATE)
    return write_message(writer, event, t);
  if (event->kind < EVENT_HANDLE_CREATE)
    return write_window(writer, event, t);
  return write_io(writer, event, t);
}
