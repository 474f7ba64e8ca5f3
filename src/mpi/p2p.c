/* Calls that send or receive, or begin to. Arguments: MPI_Send(buffer, count, type, rank, tag, comm ...), all
 * others alike. */
#include "mpi/comms.h"
#include "mpi/messages.h"
#include "mpi/polls.h"

enum { STATUS_BYTES_MAX = 64 };

/* A status of our own where the program needs none. */
struct own_status {
  _Alignas(8) char bytes[STATUS_BYTES_MAX];
};

static word status_or(word status, struct own_status *own) {
  return status == mpi.abi.status_ignore ? (word)own : status;
}

/* Nothing is sent to MPI_PROC_NULL, nor received from it. */
static bool is_rank(word rank) {
  return (int)rank != mpi.abi.proc_null;
}

static bool records_messages(void) {
  return mpi_records(EVENT_CLASS_mpi_p2p);
}

static void note_send(word count, word type, word rank, word tag, word comm, const struct call *call) {
  uint32_t number = is_rank(rank) ? comm_number(comm) : COMM_NONE;
  if (records_messages() && number != COMM_NONE)
    put_message(MESSAGE_SEND, number, (int)rank, (int)tag, bytes_of(count_of(call, count), type));
}

static void note_received(uint32_t comm, const void *status) {
  if (records_messages() && comm != COMM_NONE && is_rank((word)status_source(status)))
    put_message(MESSAGE_RECV, comm, status_source(status), status_tag(status), mpi.abi.received(status));
}

void mpi_on_send(struct call *call) {
  const word *a = call->a;
  call_enter(call, 0);
  note_send(a[1], a[2], a[3], a[4], a[5], call);
  call_invoke(call);
  call_leave(call);
}

/* Receives from `source` of `comm` into the status at a[status_at]. */
static void receive(struct call *call, word source, word comm, size_t status_at) {
  struct own_status own;
  uint32_t number = is_rank(source) ? comm_number(comm) : COMM_NONE;
  call->a[status_at] = status_or(call->a[status_at], &own);
  call_invoke(call);
  if (call_succeeded(call))
    note_received(number, (const void *)call->a[status_at]);
  call_leave(call);
}

void mpi_on_recv(struct call *call) {
  call_enter(call, 0);
  receive(call, call->a[3], call->a[5], 6);
}

void mpi_on_sendrecv(struct call *call) {
  const word *a = call->a;
  call_enter(call, 0);
  note_send(a[1], a[2], a[3], a[4], a[10], call);
  receive(call, a[8], a[10], 11);
}

void mpi_on_sendrecv_replace(struct call *call) {
  const word *a = call->a;
  call_enter(call, 0);
  note_send(a[1], a[2], a[3], a[4], a[7], call);
  receive(call, a[5], a[7], 8);
}

/* -- without blocking -- */

static uint64_t begin_send(const struct call *call, word rank, word comm, uint32_t *ret_number) {
  const word *a = call->a;
  *ret_number = records_messages() && is_rank(rank) ? comm_number(comm) : COMM_NONE;
  if (*ret_number == COMM_NONE)
    return 0;
  return put_message(MESSAGE_ISEND, *ret_number, (int)rank, (int)a[4], bytes_of(count_of(call, a[1]), a[2]));
}

static uint64_t begin_receive(word rank, word comm, uint32_t *ret_number) {
  *ret_number = records_messages() && is_rank(rank) ? comm_number(comm) : COMM_NONE;
  return *ret_number == COMM_NONE ? 0 : put_message(MESSAGE_IRECV, *ret_number, 0, 0, 0);
}

/* The call has given out a handle at a[request_at]. */
static void remember(const struct call *call, struct request request, size_t request_at) {
  if (!request.id && !request.other_id)
    return;
  if (!call_succeeded(call)) {
    request_fail(&request);
    return;
  }
  request.handle = handle_at(call->a[request_at], 0);
  request_put(&request);
}

void mpi_on_isend(struct call *call) {
  struct request request = {.kind = REQUEST_SEND, .is_active = true};
  call_enter(call, 0);
  request.id = begin_send(call, call->a[3], call->a[5], &request.comm);
  call_invoke(call);
  remember(call, request, 6);
  call_leave(call);
}

void mpi_on_irecv(struct call *call) {
  struct request request = {.kind = REQUEST_RECV, .is_active = true};
  call_enter(call, 0);
  request.id = begin_receive(call->a[3], call->a[5], &request.comm);
  call_invoke(call);
  remember(call, request, 6);
  call_leave(call);
}

static void send_and_receive(struct call *call, word source, word comm, size_t request_at) {
  uint32_t number;
  call_enter(call, 0);
  struct request request = {.kind = REQUEST_SENDRECV, .is_active = true};
  request.id = begin_send(call, call->a[3], comm, &request.comm);
  request.other_id = begin_receive(source, comm, &number);
  request.comm = number == COMM_NONE ? request.comm : number;
  call_invoke(call);
  remember(call, request, request_at);
  call_leave(call);
}

void mpi_on_isendrecv(struct call *call) {
  send_and_receive(call, call->a[8], call->a[10], 11);
}

void mpi_on_isendrecv_replace(struct call *call) {
  send_and_receive(call, call->a[5], call->a[7], 8);
}

/* -- persistent requests -- */

void mpi_on_persistent(struct call *call) {
  const word *a = call->a;
  call_plain(call);
  uint32_t number = is_rank(a[3]) && records_messages() ? comm_number(a[5]) : COMM_NONE;
  if (number == COMM_NONE || !call_succeeded(call))
    return;
  struct request request = {.handle = handle_at(a[6], 0),
                            .kind = (enum request_kind)call->argument,
                            .is_persistent = true,
                            .comm = number,
                            .peer = (int)a[3],
                            .tag = (int)a[4]};
  if (request.kind == REQUEST_SEND)
    request.bytes = bytes_of(count_of(call, a[1]), a[2]);
  request_put(&request);
}

static void begin_persistent(word handle) {
  struct request *request = request_remove(handle);
  if (!request)
    return;
  if (request->kind == REQUEST_COLLECTIVE)
    request->id = put_collective(COLLECTIVE_REQUEST, request);
  else if (request->kind == REQUEST_SEND)
    request->id = put_message(MESSAGE_ISEND, request->comm, request->peer, request->tag, request->bytes);
  else
    request->id = put_message(MESSAGE_IRECV, request->comm, 0, 0, 0);
  request->is_active = true;
  request_put_back(request);
}

void mpi_on_start(struct call *call) {
  call_enter(call, 0);
  begin_persistent(handle_at(call->a[0], 0));
  call_invoke(call);
  call_leave(call);
}

void mpi_on_startall(struct call *call) {
  call_enter(call, 0);
  for (int i = 0; i < (int)call->a[0]; i++)
    begin_persistent(handle_at(call->a[1], (size_t)i));
  call_invoke(call);
  call_leave(call);
}

/* -- matched probes: a message's handle is kept as a request's, for its communicator -- */

static void match(word message, word comm) {
  uint32_t number = records_messages() ? comm_number(comm) : COMM_NONE;
  word handle = handle_at(message, 0);
  if (number != COMM_NONE && handle != mpi.abi.message_null && handle != mpi.abi.message_no_proc)
    request_put(&(struct request){.handle = handle, .kind = REQUEST_RECV, .comm = number});
}

void mpi_on_mprobe(struct call *call) {
  call_enter(call, 0);
  call_invoke(call);
  if (call_succeeded(call))
    match(call->a[3], call->a[2]);
  call_leave(call);
}

static uint32_t remove_matched(word message) {
  struct request *request = request_remove(handle_at(message, 0));
  uint32_t comm = request ? request->comm : COMM_NONE;
  if (request)
    request_drop(request);
  return comm;
}

void mpi_on_mrecv(struct call *call) {
  struct own_status own;
  call_enter(call, 0);
  uint32_t comm = remove_matched(call->a[3]);
  call->a[4] = status_or(call->a[4], &own);
  call_invoke(call);
  if (call_succeeded(call))
    note_received(comm, (const void *)call->a[4]);
  call_leave(call);
}

void mpi_on_imrecv(struct call *call) {
  struct request request = {.kind = REQUEST_RECV, .is_active = true};
  call_enter(call, 0);
  request.comm = remove_matched(call->a[3]);
  if (request.comm != COMM_NONE)
    request.id = put_message(MESSAGE_IRECV, request.comm, 0, 0, 0);
  call_invoke(call);
  remember(call, request, 4);
  call_leave(call);
}

/* -- calls that poll: those that find nothing share records (polls.h) -- */

static bool is_no(const struct call *call, size_t flag_at) {
  return call_succeeded(call) && !*(const int *)call->a[flag_at];
}

void mpi_on_poll(struct call *call) {
  uint64_t begin = mpi.recorder->ticks();
  call_invoke(call);
  if (is_no(call, call->argument)) {
    polls_add(call, begin);
    return;
  }
  call_enter(call, begin);
  call_leave(call);
}

void mpi_on_improbe(struct call *call) {
  uint64_t begin = mpi.recorder->ticks();
  call_invoke(call);
  if (is_no(call, 3)) {
    polls_add(call, begin);
    return;
  }
  call_enter(call, begin);
  if (call_succeeded(call))
    match(call->a[4], call->a[2]);
  call_leave(call);
}
