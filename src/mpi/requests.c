#include "mpi/requests.h"

#include "mpi/comms.h"
#include "mpi/files.h"
#include "mpi/messages.h"
#include "mpi/own_heap.h"
#include "mpi/windows.h"

enum { PLACES = 1024 };

/* A lock for each place, held for a few instructions. */
struct place {
  atomic_flag lock;
  struct request *first, **end, *free;
};

static struct place places[PLACES];

static struct place *lock_place(word handle) {
  struct place *place = &places[(handle >> 4 ^ handle >> 14 ^ handle) % PLACES];
  while (atomic_flag_test_and_set_explicit(&place->lock, memory_order_acquire))
    continue;
  return place;
}

static void unlock_place(struct place *place) {
  atomic_flag_clear_explicit(&place->lock, memory_order_release);
}

static void append(struct place *place, struct request *request) {
  request->next = NULL;
  if (!place->first)
    place->end = &place->first;
  *place->end = request;
  place->end = &request->next;
}

/* A thread's, as long as it lives. */
static const void *this_thread(void) {
  static _Thread_local char own __attribute__((tls_model("initial-exec")));
  return &own;
}

void request_put(const struct request *request) {
  struct place *place = lock_place(request->handle);
  struct request *copy = place->free;
  if (copy)
    place->free = copy->next;
  unlock_place(place);
  if (!copy)
    copy = heap_get(1, sizeof *copy);
  if (!copy)
    return;
  *copy = *request;
  copy->thread = this_thread();
  request_put_back(copy);
}

/* The first one with this handle that the thread has started, else of all. (A thread may complete what others
 * have started, thousands of them.) */
static struct request **find(struct place *place, word handle, const void *thread) {
  enum { LOOK_MAX = 64 };
  struct request **first = NULL, **link = &place->first;
  for (unsigned found = 0; *link && found < LOOK_MAX; link = &(*link)->next) {
    if ((*link)->handle != handle)
      continue;
    if ((*link)->thread == thread)
      return link;
    first = found++ ? first : link;
  }
  return first ? first : link;
}

struct request *request_remove(word handle) {
  const void *thread = this_thread();
  struct place *place = lock_place(handle);
  struct request **link = find(place, handle, thread);
  struct request *request = *link;
  if (request) {
    *link = request->next;
    if (!request->next)
      place->end = link;
  }
  unlock_place(place);
  return request;
}

void request_put_back(struct request *request) {
  if (!request)
    return;
  struct place *place = lock_place(request->handle);
  append(place, request);
  unlock_place(place);
}

void request_drop(struct request *request) {
  struct place *place = lock_place(request->handle);
  request->next = place->free;
  place->free = request;
  unlock_place(place);
}

/* -- completion -- */

static void complete_sendrecv(const struct request *request, const void *status) {
  put_complete(MESSAGE_ISEND, request->id, request->comm, 0, 0, 0);
  put_complete(MESSAGE_IRECV, request->other_id, request->comm, status_source(status), status_tag(status),
               mpi.abi.received(status));
}

static void complete_message(const struct request *request, const void *status) {
  if (mpi.abi.is_cancelled(status))
    put_complete(MESSAGE_CANCELLED, request->id, request->comm, 0, 0, 0);
  else if (request->kind == REQUEST_RECV)
    put_complete(MESSAGE_IRECV, request->id, request->comm, status_source(status), status_tag(status),
                 mpi.abi.received(status));
  else
    put_complete(MESSAGE_ISEND, request->id, request->comm, 0, 0, 0);
}

void request_fail(const struct request *request) {
  put_complete(MESSAGE_CANCELLED, request->id, request->comm, 0, 0, 0);
  put_complete(MESSAGE_CANCELLED, request->other_id, request->comm, 0, 0, 0);
}

void request_end_send(const struct request *request) {
  put_complete(MESSAGE_ISEND, request->id, request->comm, 0, 0, 0);
}

static void complete(const struct request *request, const void *status) {
  switch (request->kind) {
  case REQUEST_SEND:
  case REQUEST_RECV:
    complete_message(request, status);
    return;
  case REQUEST_SENDRECV:
    complete_sendrecv(request, status);
    return;
  case REQUEST_COLLECTIVE:
    put_collective(COLLECTIVE_COMPLETE, request);
    return;
  case REQUEST_COMM:
    comm_made(handle_at(request->comm_at, 0), request->origin, request->comm);
    put_collective(COLLECTIVE_COMPLETE, request);
    return;
  case REQUEST_RMA:
    put_window(WINDOW_REQUEST_COMPLETE, request->comm, WINDOW_ALL, request->id, 0);
    return;
  case REQUEST_IO:
    /* It cannot be cancelled (MPI 5.0, 3.8.4), and Open MPI leaves open in the status whether it was. */
    put_io(IO_COMPLETE, request->comm, request->id, mpi.abi.received(status), 0);
    return;
  }
}

void request_complete(struct request *request, const void *status) {
  if (!request->is_persistent || request->is_active)
    complete(request, status);
  request->is_active = false;
  if (request->is_persistent)
    request_put_back(request);
  else
    request_drop(request);
}
