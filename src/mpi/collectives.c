/* Collective operations: blocking, without blocking, persistent, and those of neighbours. Bytes are counted
 * as Score-P does: what a process gives to or gets from each member counts. */
#include "mpi/comms.h"
#include "mpi/messages.h"

enum { NONE = -1 };

/* Which arguments give the bytes, and how. */
enum volume {
  VOLUME_NOTHING,
  VOLUME_BCAST,
  VOLUME_GATHER,
  VOLUME_GATHERV,
  VOLUME_SCATTER,
  VOLUME_SCATTERV,
  VOLUME_ALL, /* so much to and from each */
  VOLUME_ALLGATHERV,
  VOLUME_ALLTOALLV,
  VOLUME_ALLTOALLW,
  VOLUME_REDUCE,
  VOLUME_REDUCE_SCATTER,
  VOLUME_SCAN,
  VOLUME_NEIGHBOUR,
  VOLUME_NEIGHBOUR_V, /* counts of neighbours: how many there are is not looked up */
};

static const struct collective {
  uint8_t operation, volume;
  int8_t send_count, send_type, receive_count, receive_type, root, comm;
} collectives[] = {
#define COLLECTIVE(name, operation, volume, send_count, send_type, receive_count, receive_type, root, comm)  \
  {OPERATION_##operation, VOLUME_##volume, send_count, send_type, receive_count, receive_type, root, comm},
#include "mpi/collectives.def"
};

/* -- bytes -- */

struct volumes {
  const struct call *call;
  const struct collective *row;
  const struct known_comm *comm;
  bool is_root;
  int peers; /* with whom */
};

static bool is_in_place(const struct volumes *v) {
  return v->call->a[0] == mpi.abi.in_place;
}

static uint64_t sent_each(const struct volumes *v) {
  return is_in_place(v)
             ? 0
             : bytes_of(count_of(v->call, v->call->a[v->row->send_count]), v->call->a[v->row->send_type]);
}

static uint64_t received_each(const struct volumes *v) {
  return bytes_of(count_of(v->call, v->call->a[v->row->receive_count]), v->call->a[v->row->receive_type]);
}

static int64_t element(const struct call *call, word counts, int index) {
  return call->is_large ? ((const int64_t *)counts)[index] : ((const int *)counts)[index];
}

static uint64_t sum_of(const struct volumes *v, int counts_at, int counts, int type_at) {
  int64_t elements = 0;
  for (int i = 0; i < counts; i++)
    elements += element(v->call, v->call->a[counts_at], i);
  return bytes_of(elements, v->call->a[type_at]);
}

static uint64_t sum(const struct volumes *v, int counts_at, int type_at) {
  return sum_of(v, counts_at, v->peers, type_at);
}

static uint64_t sum_of_types(const struct volumes *v, int counts_at, int types_at) {
  uint64_t bytes = 0;
  for (int i = 0; i < v->peers; i++)
    bytes += bytes_of(element(v->call, v->call->a[counts_at], i), handle_at(v->call->a[types_at], (size_t)i));
  return bytes;
}

/* What each gives and gets where nobody is the root. */
static void count_symmetric(const struct volumes *v, struct request *ret) {
  const struct collective *row = v->row;
  uint64_t peers = (uint64_t)v->peers;
  switch ((enum volume)row->volume) {
  case VOLUME_ALL:
    ret->received = peers * received_each(v);
    ret->bytes = is_in_place(v) ? ret->received : peers * sent_each(v);
    return;
  case VOLUME_ALLGATHERV:
    ret->received = sum(v, row->receive_count, row->receive_type);
    ret->bytes = peers * sent_each(v);
    return;
  case VOLUME_ALLTOALLV:
    ret->received = sum(v, row->receive_count, row->receive_type);
    ret->bytes = is_in_place(v) ? ret->received : sum(v, row->send_count, row->send_type);
    return;
  case VOLUME_ALLTOALLW:
    ret->received = sum_of_types(v, row->receive_count, row->receive_type);
    ret->bytes = is_in_place(v) ? ret->received : sum_of_types(v, row->send_count, row->send_type);
    return;
  case VOLUME_REDUCE_SCATTER: /* a count for each of the own group, between two groups, too */
    ret->bytes = sum_of(v, row->send_count, v->comm->size, row->send_type);
    ret->received = peers * bytes_of(element(v->call, v->call->a[row->send_count], v->comm->rank),
                                     v->call->a[row->send_type]);
    return;
  case VOLUME_SCAN:
    ret->received = received_each(v) * (uint64_t)v->comm->rank;
    ret->bytes = received_each(v) * (uint64_t)(v->comm->size - v->comm->rank - 1);
    return;
  case VOLUME_NEIGHBOUR:
    ret->bytes = sent_each(v);
    ret->received = received_each(v);
    return;
  case VOLUME_NOTHING:
  case VOLUME_BCAST:
  case VOLUME_GATHER:
  case VOLUME_GATHERV:
  case VOLUME_SCATTER:
  case VOLUME_SCATTERV:
  case VOLUME_REDUCE:
  case VOLUME_NEIGHBOUR_V:
    return;
  }
}

/* What a root counts otherwise than others. Between two groups it is none of those from which it gets, or to
 * which it gives: its arguments for that mean nothing, its datatype may be none. */
static void count_rooted(const struct volumes *v, struct request *ret) {
  const struct collective *row = v->row;
  uint64_t as_root = v->is_root ? (uint64_t)v->peers : 0;
  bool is_member = !v->is_root || !v->comm->remote_size;
  bool is_in_place_receive = v->call->a[3] == mpi.abi.in_place;
  switch ((unsigned)row->volume) {
  case VOLUME_BCAST:
    ret->bytes = as_root ? as_root * received_each(v) : 0;
    ret->received = is_member ? received_each(v) : 0;
    return;
  case VOLUME_GATHER:
    ret->bytes = is_member ? sent_each(v) : 0;
    ret->received = as_root ? as_root * received_each(v) : 0;
    return;
  case VOLUME_GATHERV:
    ret->bytes = is_member ? sent_each(v) : 0;
    ret->received = as_root ? sum(v, row->receive_count, row->receive_type) : 0;
    return;
  case VOLUME_SCATTER:
    ret->bytes = as_root ? as_root * sent_each(v) : 0;
    ret->received = is_member && !is_in_place_receive ? received_each(v) : 0;
    return;
  case VOLUME_SCATTERV:
    is_in_place_receive = v->call->a[4] == mpi.abi.in_place;
    ret->bytes = as_root ? sum(v, row->send_count, row->send_type) : 0;
    ret->received = is_member && !is_in_place_receive ? received_each(v) : 0;
    return;
  case VOLUME_REDUCE: /* the same arguments, whatever is in place */
    ret->bytes = is_member ? received_each(v) : 0;
    ret->received = as_root * received_each(v);
    return;
  }
}

/* Between two groups MPI_ROOT is the root, and MPI_PROC_NULL who only looks on in its group. */
static uint32_t root_of(const struct volumes *v, int root, bool *ret_is_root) {
  *ret_is_root = v->comm->remote_size ? root == mpi.abi.root : root == v->comm->rank;
  if (v->comm->remote_size && root == mpi.abi.root)
    return ROOT_SELF;
  if (v->comm->remote_size && root == mpi.abi.proc_null)
    return ROOT_THIS_GROUP;
  return (uint32_t)root;
}

/* Between two groups, which the archive has as one, no process waits for its own: those where all wait for
 * all would claim too much. */
static uint8_t operation_of(uint8_t operation, const struct known_comm *comm) {
  switch (comm->remote_size ? operation : OPERATION_BCAST) {
  case OPERATION_BARRIER:
  case OPERATION_ALLGATHER:
  case OPERATION_ALLGATHERV:
  case OPERATION_ALLTOALL:
  case OPERATION_ALLREDUCE:
  case OPERATION_REDUCE_SCATTER:
  case OPERATION_REDUCE_SCATTER_BLOCK:
    return OPERATION_ALLTOALLV;
  }
  return operation;
}

/* What the records report of the operation; false: its communicator is not known, or nobody needs to. */
static bool describe(const struct call *call, struct request *ret) {
  const struct collective *row = &collectives[call->argument];
  struct volumes v = {.call = call, .row = row, .comm = NULL};
  *ret = (struct request){
      .kind = REQUEST_COLLECTIVE, .is_active = true, .operation = row->operation, .root = ROOT_NONE};
  if (!mpi_records(EVENT_CLASS_mpi_coll) || !(v.comm = comm_of(call->a[row->comm])))
    return false;
  ret->comm = v.comm->number;
  ret->operation = operation_of(row->operation, v.comm);
  v.peers = v.comm->remote_size ? v.comm->remote_size : v.comm->size;
  if (row->root == NONE) {
    count_symmetric(&v, ret);
    return true;
  }
  ret->root = root_of(&v, (int)call->a[row->root], &v.is_root);
  if (ret->root != ROOT_THIS_GROUP)
    count_rooted(&v, ret);
  return true;
}

void mpi_on_collective(struct call *call) {
  struct request what;
  call_enter(call, 0);
  bool is_known = describe(call, &what);
  if (is_known)
    put_collective(COLLECTIVE_BEGIN, &what);
  call_invoke(call);
  if (is_known)
    put_collective(COLLECTIVE_END, &what);
  call_leave(call);
}

void mpi_on_collective_nonblocking(struct call *call) {
  struct request what;
  call_enter(call, 0);
  bool is_known = describe(call, &what);
  if (is_known)
    what.id = put_collective(COLLECTIVE_REQUEST, &what);
  call_invoke(call);
  if (is_known && call_succeeded(call)) {
    what.handle = handle_at(call->a[collectives[call->argument].comm + 1], 0);
    request_put(&what);
  } else if (is_known) {
    request_fail(&what);
  }
  call_leave(call);
}

void mpi_on_collective_init(struct call *call) {
  struct request what;
  call_enter(call, 0);
  bool is_known = describe(call, &what);
  call_invoke(call);
  if (is_known && call_succeeded(call)) {
    what.handle = handle_at(call->a[collectives[call->argument].comm + 2], 0);
    what.is_persistent = true;
    what.is_active = false;
    request_put(&what);
  }
  call_leave(call);
}
