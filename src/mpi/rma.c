/* One-sided operations: each begins here. When it is complete other calls show (windows.c), or its
 * request. */
#include "mpi/comms.h"
#include "mpi/messages.h"
#include "mpi/windows.h"

enum { NONE = -1, ONE = -2 };

/* OTF2_RmaAtomicType, which this library does not include. */
enum atomic_type { TYPE_ACCUMULATE, TYPE_COMPARE_AND_SWAP = 3, TYPE_FETCH_AND_ACCUMULATE = 7 };

static const struct rma_row {
  uint8_t kind, type;
  int8_t sent_count, sent_type, received_count, received_type, rank, op, window;
} rows[] = {
#define RMA(name, kind, type, ...) {KIND_##kind, TYPE_##type, __VA_ARGS__},
#include "mpi/rma.def"
};

static uint64_t bytes_at(const struct call *call, int count_at, int type_at) {
  if (count_at == NONE)
    return 0;
  return bytes_of(count_at == ONE ? 1 : count_of(call, call->a[count_at]), call->a[type_at]);
}

static bool has_request(const struct call *call, const struct rma_row *row) {
  return mpi_parameters(call->function) > (unsigned)row->window + 1;
}

static uint64_t put_operation(const struct call *call, const struct rma_row *row,
                              const struct known_window *window) {
  bool sends = row->op == NONE || handle_of(call->a[row->op]) != mpi.abi.no_op;
  uint64_t sent = sends ? bytes_at(call, row->sent_count, row->sent_type) : 0,
           received = bytes_at(call, row->received_count, row->received_type);
  const struct record_mpi_rma record = {.type = RECORD_mpi_rma,
                                        .more = row->kind == KIND_ATOMIC,
                                        .endpoint = row->kind,
                                        .flags = row->type | (has_request(call, row) ? RMA_FLAG_REQUEST : 0),
                                        .bytes = row->kind == KIND_GET ? received : sent,
                                        .remote = (uint32_t)call->a[row->rank],
                                        .window = window->number};
  return mpi.recorder->put((const struct record *)&record, (uint64_t[4]){received}, 0, NULL);
}

static void remember(const struct call *call, const struct rma_row *row, uint64_t id, uint32_t window) {
  if (id && has_request(call, row) && call_succeeded(call))
    request_put(&(struct request){.handle = handle_at(call->a[row->window + 1], 0),
                                  .kind = REQUEST_RMA,
                                  .is_active = true,
                                  .comm = window,
                                  .id = id});
}

void mpi_on_rma(struct call *call) {
  const struct rma_row *row = &rows[call->argument];
  call_enter(call, 0);
  bool is_one = (int)call->a[row->rank] != mpi.abi.proc_null;
  const struct known_window *window = is_one ? window_of(call->a[row->window]) : NULL;
  uint64_t id = window ? put_operation(call, row, window) : 0;
  call_invoke(call);
  remember(call, row, id, window ? window->number : 0);
  call_leave(call);
}
