/* What messages and collective operations need of MPI's calls: ranks, the call that is open, requests. */
#include "replay/mpi_state.h"

uint32_t mpi_rank_process(const struct mpi_replay *mpi, uint32_t comm, uint32_t rank) {
  const struct mpi_rank_table *table = comm < mpi->trace->comm_count ? &mpi->ranks[comm] : NULL;
  return table && rank < table->count ? table->processes[rank] : UINT32_MAX;
}

uint32_t mpi_process_rank(const struct mpi_replay *mpi, uint32_t comm, uint32_t process) {
  uintptr_t found = (uintptr_t)pair_map_get(&mpi->rank_of, comm, process);
  return found ? (uint32_t)(found - 1) : UINT32_MAX;
}

uint32_t mpi_comm_at(const struct mpi_replay *mpi, uint32_t ref) {
  const struct trace_comm *comm = trace_comm(mpi->trace, ref);
  uint32_t position = comm ? (uint32_t)(comm - mpi->trace->comms) : UINT32_MAX;
  return comm && mpi->ranks[position].is_mpi ? position : UINT32_MAX;
}

bool mpi_is_there(const struct mpi_replay *mpi) {
  return mpi->has_mpi;
}

struct mpi_call mpi_open_call(const struct mpi_replay *mpi, size_t location) {
  return mpi->calls[location];
}

struct mpi_call mpi_call_at(const struct mpi_replay *mpi, const struct trace_event *event) {
  struct mpi_call call = mpi->calls[event->location];
  if (call.id == 0)
    call = (struct mpi_call){
        .location = event->location, .region = UINT32_MAX, .site = TRACE_NO_REF, .enter_ticks = event->ticks};
  return call;
}

/* -- what ends in a call -- */

static struct mpi_ending *ending_of(struct mpi_replay *mpi, const struct mpi_call *call) {
  uint32_t *number = &mpi->endings[call->location];
  struct mpi_ending *ending;
  if (call->id == 0)
    return NULL;
  if (*number == 0) {
    ending = pool_new(&mpi->ending_pool, number);
    *ending = (struct mpi_ending){.number = *number};
    ++*number;
  }
  ending = pool_item(&mpi->ending_pool, *number - 1);
  ending->references++;
  return ending;
}

struct mpi_ending *mpi_notify_end(struct mpi_replay *mpi, const struct mpi_call *call) {
  if (mpi->observer.ends_in)
    mpi->observer.ends_in(mpi->data, call);
  return ending_of(mpi, call);
}

static void drop_ending(struct mpi_replay *mpi, const struct mpi_ending *ending) {
  if (ending->is_left && ending->references == 0)
    pool_put(&mpi->ending_pool, ending->number);
}

void mpi_release_ending(struct mpi_replay *mpi, struct mpi_ending *ending) {
  if (!ending)
    return;
  ending->references--;
  drop_ending(mpi, ending);
}

void mpi_leave_ending(struct mpi_replay *mpi, size_t location, uint64_t ticks) {
  uint32_t number = mpi->endings[location];
  if (number == 0)
    return;
  struct mpi_ending *ending = pool_item(&mpi->ending_pool, number - 1);
  mpi->endings[location] = 0;
  ending->is_left = true;
  ending->left_ticks = ticks;
  drop_ending(mpi, ending);
}

/* -- requests -- */

bool mpi_remove_request(struct mpi_replay *mpi, uint32_t process, uint64_t id, struct mpi_request *ret) {
  uintptr_t found = (uintptr_t)pair_map_remove(&mpi->request_table, process, id);
  if (!found)
    return false;
  *ret = *(struct mpi_request *)pool_item(&mpi->requests, (uint32_t)(found - 1));
  pool_put(&mpi->requests, (uint32_t)(found - 1));
  return true;
}

void mpi_add_request(struct mpi_replay *mpi, uint32_t process, uint64_t id,
                     const struct mpi_request *request) {
  struct mpi_request old;
  mpi_remove_request(mpi, process, id, &old); /* no archive of Stave's has the same number twice */
  uint32_t slot;
  *(struct mpi_request *)pool_new(&mpi->requests, &slot) = *request;
  pair_map_put(&mpi->request_table, process, id, (void *)(uintptr_t)(slot + 1ull));
}
