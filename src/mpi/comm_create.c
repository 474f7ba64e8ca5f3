/* Calls that make communicators, name and free them. */
#include "mpi/comms.h"
#include "mpi/messages.h"

static bool records_comms(void) {
  return mpi_records(EVENT_CLASS_mpi_comm);
}

static uint64_t put_moment(enum collective_moment moment, uint32_t comm, uint32_t operation) {
  const struct request what = {.operation = operation, .root = ROOT_NONE, .comm = comm};
  return records_comms() ? put_collective(moment, &what) : 0;
}

/* Where the new handle is: the last argument, of all these calls. */
static word made_by(const struct call *call) {
  return handle_at(call->a[mpi_parameters(call->function) - 1], 0);
}

/* Makes one of `parent`, whose members all participate, or those that `origin` represents. */
static void make(struct call *call, word parent, struct origin origin) {
  uint32_t number = comm_number(parent);
  bool is_known = number != COMM_NONE;
  if (is_known)
    put_moment(COLLECTIVE_BEGIN, number, OPERATION_CREATE_HANDLE);
  call_invoke(call);
  if (call_succeeded(call))
    comm_made(made_by(call), origin, number);
  if (is_known)
    put_moment(COLLECTIVE_END, number, OPERATION_CREATE_HANDLE);
  call_leave(call);
}

void mpi_on_comm_create(struct call *call) {
  call_enter(call, 0);
  make(call, call->a[0], comm_creates(call->a[0]));
}

/* Only the group's members participate, with the same tag in the same order: an operation of theirs alone. */
void mpi_on_comm_create_group(struct call *call) {
  uint32_t parent = comm_number(call->a[0]), made = COMM_NONE;
  call_enter(call, 0);
  put_moment(COLLECTIVE_BEGIN, COMM_WORLD, OPERATION_CREATE_HANDLE);
  call_invoke(call);
  if (call_succeeded(call))
    made = comm_made(made_by(call), comm_creates_apart((int)call->a[2]), parent);
  put_moment(COLLECTIVE_END, made == COMM_NONE ? COMM_SELF : made, OPERATION_CREATE_HANDLE);
  call_leave(call);
}

/* Both groups together, which know each other's members when it is made. */
void mpi_on_intercomm_create(struct call *call) {
  call_enter(call, 0);
  make(call, call->a[0], comm_creates_apart((int)call->a[4]));
}

/* The handle is there immediately, and may be used when the request is complete. */
void mpi_on_comm_idup(struct call *call) {
  word last = mpi_parameters(call->function) - 1;
  call_enter(call, 0);
  struct request what = {.kind = REQUEST_COMM,
                         .is_active = true,
                         .operation = OPERATION_CREATE_HANDLE,
                         .root = ROOT_NONE,
                         .comm = comm_number(call->a[0]),
                         .comm_at = call->a[last - 1],
                         .origin = comm_creates(call->a[0])};
  if (what.comm != COMM_NONE && records_comms())
    what.id = put_collective(COLLECTIVE_REQUEST, &what);
  call_invoke(call);
  if (what.comm != COMM_NONE && call_succeeded(call)) {
    what.handle = handle_at(call->a[last], 0);
    request_put(&what);
  } else {
    request_fail(&what);
  }
  call_leave(call);
}

void mpi_on_comm_free(struct call *call) {
  call_enter(call, 0);
  uint32_t number = comm_forget(handle_at(call->a[0], 0));
  if (number != COMM_NONE && records_comms()) {
    const struct record_mpi_comm_end end = {.type = RECORD_mpi_comm_end, .comm = number};
    put_moment(COLLECTIVE_BEGIN, number, OPERATION_DESTROY_HANDLE);
    mpi.recorder->put((const struct record *)&end, NULL, 0, NULL);
  }
  call_invoke(call);
  if (number != COMM_NONE)
    put_moment(COLLECTIVE_END, number, OPERATION_DESTROY_HANDLE);
  call_leave(call);
}

void mpi_on_comm_set_name(struct call *call) {
  call_plain(call);
  if (call_succeeded(call))
    comm_name(call->a[0], (const char *)call->a[1]);
}
