/* Collective operations: what all ranks of a communicator do of each. */
#include <stdlib.h>

#include "base/array.h"
#include "replay/mpi_state.h"

static uint32_t expected_of(const struct mpi_replay *mpi, uint32_t comm) {
  return mpi->ranks[comm].is_self ? 1 : mpi->ranks[comm].present;
}

/* Which one of its communicator it is for this process. COMM_SELF is each process's own. */
static uint64_t next_number(struct mpi_replay *mpi, uint32_t comm, const struct mpi_member *member) {
  uint64_t key = (uint64_t)comm << 1 | member->has_request;
  uintptr_t count = (uintptr_t)pair_map_get(&mpi->counts, key, member->process);
  pair_map_put(&mpi->counts, key, member->process, (void *)(count + 1));
  return count;
}

static uint64_t operation_key(const struct mpi_replay *mpi, uint32_t comm, const struct mpi_member *member) {
  uint64_t process = mpi->ranks[comm].is_self ? member->process + 1ull : 0;
  return process << 33 | (uint64_t)comm << 1 | member->has_request;
}

/* As if all waited for the last one, which is so where each needs something of each. */
static void link_members(const struct mpi_replay *mpi, const struct mpi_operation *operation) {
  const struct mpi_member *last = operation->members;
  for (size_t i = 1; i < operation->member_count; i++)
    if (operation->members[i].begin_ticks > last->begin_ticks)
      last = &operation->members[i];
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    struct replay_link link = {REPLAY_LINK_COLLECTIVE,
                               {last->begin_ticks, last->started.location},
                               {member->end_ticks, member->ended.location},
                               member->begin_ticks,
                               true};
    if (member->begin_ticks < last->begin_ticks)
      mpi->observer.link(mpi->data, &link);
  }
}

static void notify(struct mpi_replay *mpi, struct mpi_operation_state *state) {
  state->operation.members = state->members;
  if (mpi->observer.operation)
    mpi->observer.operation(mpi->data, &state->operation);
  if (mpi->observer.link)
    link_members(mpi, &state->operation);
  for (size_t i = 0; i < state->operation.member_count; i++)
    mpi_release_ending(mpi, state->members[i].ending);
  state->operation.member_count = 0;
}

static struct mpi_operation_state *operation_of(struct mpi_replay *mpi, uint64_t key, uint32_t comm,
                                                uint64_t number) {
  uintptr_t found = (uintptr_t)pair_map_get(&mpi->operations, key, number);
  if (found)
    return pool_item(&mpi->operation_pool, (uint32_t)(found - 1));
  uint32_t slot;
  struct mpi_operation_state *state = pool_new(&mpi->operation_pool, &slot);
  state->operation =
      (struct mpi_operation){.comm = comm, .number = number, .expected = expected_of(mpi, comm)};
  pair_map_put(&mpi->operations, key, number, (void *)(uintptr_t)(slot + 1ull));
  return state;
}

static void add_member(struct mpi_replay *mpi, uint32_t comm, const struct mpi_member *member) {
  uint64_t number = next_number(mpi, comm, member), key = operation_key(mpi, comm, member);
  struct mpi_operation_state *state = operation_of(mpi, key, comm, number);
  array_reserve(&state->members, &state->capacity, state->operation.member_count + 1, sizeof *state->members);
  state->members[state->operation.member_count++] = *member;
  if (state->operation.member_count < state->operation.expected)
    return;
  notify(mpi, state);
  uintptr_t slot = (uintptr_t)pair_map_remove(&mpi->operations, key, number);
  pool_put(&mpi->operation_pool, (uint32_t)(slot - 1));
}

static void on_end(struct mpi_replay *mpi, const struct trace_event *event) {
  uint32_t comm = mpi_comm_at(mpi, event->MpiCollectiveEnd.comm);
  struct mpi_call call = mpi_call_at(mpi, event);
  if (comm == UINT32_MAX)
    return;
  add_member(mpi, comm,
             &(struct mpi_member){.started = call,
                                  .ended = call,
                                  .ending = mpi_notify_end(mpi, &call),
                                  .begin_ticks = mpi->begin_ticks[event->location],
                                  .end_ticks = event->ticks,
                                  .process = mpi->processes[event->location],
                                  .root = event->MpiCollectiveEnd.root,
                                  .operation = event->MpiCollectiveEnd.collective_op});
}

/* -- with a request -- */

static void on_request(struct mpi_replay *mpi, const struct trace_event *event) {
  uint32_t process = mpi->processes[event->location];
  struct mpi_request request = {.started = mpi_call_at(mpi, event),
                                .begin_ticks = event->ticks,
                                .posting = match_queue_begin(&mpi->operations_posted[process]),
                                .half = MPI_LINK_NONE,
                                .is_collective = true};
  mpi_add_request(mpi, process, event->NonBlockingCollectiveRequest.request, &request);
}

static void end_late(void *data, uint64_t item) {
  struct mpi_replay *mpi = data;
  const struct mpi_late *late = pool_item(&mpi->late, (uint32_t)item);
  uint32_t comm = late->message.comm;
  struct mpi_member member = late->member;
  pool_put(&mpi->late, (uint32_t)item);
  if (comm != UINT32_MAX)
    add_member(mpi, comm, &member);
}

static void on_complete(struct mpi_replay *mpi, const struct trace_event *event) {
  uint32_t process = mpi->processes[event->location];
  struct mpi_request request;
  struct mpi_call call = mpi_call_at(mpi, event);
  if (!mpi_remove_request(mpi, process, event->NonBlockingCollectiveComplete.request, &request) ||
      !request.is_collective)
    return;
  uint32_t slot;
  struct mpi_late *late = pool_new(&mpi->late, &slot);
  late->message.comm = mpi_comm_at(mpi, event->NonBlockingCollectiveComplete.comm);
  late->member = (struct mpi_member){.started = request.started,
                                     .ended = call,
                                     .begin_ticks = request.begin_ticks,
                                     .end_ticks = event->ticks,
                                     .process = process,
                                     .root = event->NonBlockingCollectiveComplete.root,
                                     .operation = event->NonBlockingCollectiveComplete.collective_op,
                                     .has_request = true};
  if (late->message.comm != UINT32_MAX)
    late->member.ending = mpi_notify_end(mpi, &call);
  match_queue_end(&mpi->operations_posted[process], request.posting, slot, false, end_late, mpi);
}

/* -- all -- */

void mpi_collectives_process(struct mpi_replay *mpi, const struct trace_event *event) {
  if (event->kind == TRACE_MpiCollectiveBegin)
    mpi->begin_ticks[event->location] = event->ticks;
  else if (event->kind == TRACE_MpiCollectiveEnd)
    on_end(mpi, event);
  else if (event->kind == TRACE_NonBlockingCollectiveRequest)
    on_request(mpi, event);
  else
    on_complete(mpi, event);
}

void mpi_collectives_finish(struct mpi_replay *mpi) {
  for (size_t i = 0; i < mpi->process_count; i++)
    match_queue_finish(&mpi->operations_posted[i], end_late, mpi);
  for (size_t i = 0; i < mpi->operations.capacity; i++) {
    uintptr_t slot = (uintptr_t)mpi->operations.entries[i].value;
    if (slot)
      notify(mpi, pool_item(&mpi->operation_pool, (uint32_t)(slot - 1)));
  }
}
