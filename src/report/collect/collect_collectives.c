/* Collective operations: which ranks depend on which. */
#include <otf2/otf2.h>

#include "base/array.h"
#include "replay/mpi_flow.h"
#include "report/collect/mpi_waits.h"

/* Nobody leaves a barrier before the last one has come. */
static void compare_clocks(struct collector *collector, const struct mpi_operation *operation) {
  uint64_t last = 0;
  for (size_t i = 0; i < operation->member_count; i++)
    last = operation->members[i].begin_ticks > last ? operation->members[i].begin_ticks : last;
  for (size_t i = 0; i < operation->member_count; i++)
    mpi_waits_compare(collector, last, operation->members[i].end_ticks);
}

static uint32_t make_moment(struct collector *collector, const struct mpi_operation *operation,
                            enum mpi_flow flow) {
  uint32_t parts = 0;
  for (size_t i = 0; i < operation->member_count; i++)
    parts += mpi_is_awaited(collector->waits->mpi, operation, &operation->members[i], flow);
  uint32_t moment = mpi_waits_moment(collector, parts);
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    if (mpi_is_awaited(collector->waits->mpi, operation, member, flow))
      mpi_waits_add_part(collector, moment, &member->started, member->process, member->begin_ticks);
  }
  return moment;
}

void mpi_waits_on_operation(void *data, const struct mpi_operation *operation) {
  struct collector *collector = data;
  const struct mpi_member *first = operation->members;
  if (operation->member_count == 0)
    return;
  traffic_operation(&collector->report->traffic, operation);
  enum mpi_flow flow = mpi_flow_of(collector->trace, operation);
  uint32_t moment = flow == MPI_FLOW_UNKNOWN ? MPI_NONE : make_moment(collector, operation, flow);
  enum report_cause cause =
      first->operation == OTF2_COLLECTIVE_OP_BARRIER ? CAUSE_MPI_BARRIER : CAUSE_MPI_COLLECTIVE;
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    bool is_waiting = moment != MPI_NONE && mpi_waits(collector->waits->mpi, operation, member, flow);
    mpi_waits_depend(collector, &member->ended, is_waiting ? moment : MPI_NONE, cause);
  }
  if (moment != MPI_NONE)
    mpi_waits_release(collector, moment);
  if (flow != MPI_FLOW_UNKNOWN && cause == CAUSE_MPI_BARRIER)
    compare_clocks(collector, operation);
}

/* -- the end -- */

static size_t count_processes(const struct mpi_waits *waits, size_t all) {
  size_t count = 0;
  for (size_t i = 0; i < all; i++)
    count += waits->has_mpi[i];
  return count;
}

void mpi_waits_on_finalize(struct collector *collector, const struct mpi_call *call, uint32_t process) {
  struct mpi_waits *state = collector->waits;
  struct mpi_operation *all = &state->finalize;
  array_reserve(&state->finalize_members, &state->finalize_capacity, all->member_count + 1,
                sizeof *state->finalize_members);
  uint32_t slot = mpi_waits_find(collector, call->id);
  if (slot == MPI_NONE)
    return;
  mpi_waits_call(collector, slot)->pending++;
  state->finalize_members[all->member_count++] = (struct mpi_member){.started = *call,
                                                                     .ended = *call,
                                                                     .begin_ticks = call->enter_ticks,
                                                                     .process = process,
                                                                     .operation = OTF2_COLLECTIVE_OP_BARRIER};
  all->members = state->finalize_members;
  all->comm = UINT32_MAX;
  all->expected = count_processes(state, collector->trace->location_group_count + 1);
  if (all->member_count == all->expected)
    mpi_waits_on_operation(collector, all);
}
