/* Collective operations: which ranks depend on which. */
#include <string.h>

#include <otf2/otf2.h>

#include "base/array.h"
#include "report/collect/mpi_waits.h"

/* Who has to be there before somebody can go on. */
enum flow { FLOW_ALL, FLOW_FROM_ROOT, FLOW_TO_ROOT, FLOW_UNKNOWN };

static enum flow flow_of(uint8_t operation) {
  switch (operation) {
  case OTF2_COLLECTIVE_OP_BCAST:
  case OTF2_COLLECTIVE_OP_SCATTER:
  case OTF2_COLLECTIVE_OP_SCATTERV:
    return FLOW_FROM_ROOT;
  case OTF2_COLLECTIVE_OP_GATHER:
  case OTF2_COLLECTIVE_OP_GATHERV:
  case OTF2_COLLECTIVE_OP_REDUCE:
    return FLOW_TO_ROOT;
  case OTF2_COLLECTIVE_OP_BARRIER:
  case OTF2_COLLECTIVE_OP_ALLGATHER:
  case OTF2_COLLECTIVE_OP_ALLGATHERV:
  case OTF2_COLLECTIVE_OP_ALLTOALL:
  case OTF2_COLLECTIVE_OP_ALLTOALLV:
  case OTF2_COLLECTIVE_OP_ALLTOALLW:
  case OTF2_COLLECTIVE_OP_ALLREDUCE:
  case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
  case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
    return FLOW_ALL;
  default: /* a scan depends on lower ranks; what makes communicators need not wait */
    return FLOW_UNKNOWN;
  }
}

/* Among neighbours nobody waits for all. */
static bool is_of_neighbours(const struct collector *collector, const struct mpi_member *member) {
  uint32_t region = member->begun.region;
  return region < collector->trace->region_count &&
         strstr(collector->trace->regions[region].name, "eighbor") != NULL;
}

static bool is_root(struct collector *collector, const struct mpi_operation *operation,
                    const struct mpi_member *member) {
  return mpi_process_rank(collector->waits->mpi, operation->comm, member->process) == member->root;
}

/* Whether the member is a part of what others wait for, and whether it waits. */
static bool is_awaited(struct collector *collector, const struct mpi_operation *operation,
                       const struct mpi_member *member, enum flow flow) {
  return flow == FLOW_ALL || (flow == FLOW_FROM_ROOT) == is_root(collector, operation, member);
}

static bool waits(struct collector *collector, const struct mpi_operation *operation,
                  const struct mpi_member *member, enum flow flow) {
  return flow == FLOW_ALL || (flow == FLOW_TO_ROOT) == is_root(collector, operation, member);
}

/* Nobody leaves a barrier before the last one has come. */
static void compare_clocks(struct collector *collector, const struct mpi_operation *operation) {
  uint64_t last = 0;
  for (size_t i = 0; i < operation->member_count; i++)
    last = operation->members[i].begin_ticks > last ? operation->members[i].begin_ticks : last;
  for (size_t i = 0; i < operation->member_count; i++)
    mpi_waits_compare(collector, last, operation->members[i].end_ticks);
}

static uint32_t make_moment(struct collector *collector, const struct mpi_operation *operation,
                            enum flow flow) {
  uint32_t parts = 0;
  for (size_t i = 0; i < operation->member_count; i++)
    parts += is_awaited(collector, operation, &operation->members[i], flow);
  uint32_t moment = mpi_waits_moment(collector, parts);
  for (size_t i = 0; moment != MPI_NONE && i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    if (is_awaited(collector, operation, member, flow))
      mpi_waits_add_part(collector, moment, &member->begun, member->process, member->begin_ticks);
  }
  return moment;
}

void mpi_waits_on_operation(void *data, const struct mpi_operation *operation) {
  struct collector *collector = data;
  const struct mpi_member *first = operation->members;
  if (operation->member_count == 0)
    return;
  traffic_operation(&collector->report->traffic, operation);
  bool has_all = operation->member_count == operation->expected && operation->expected > 1;
  enum flow flow = has_all && !is_of_neighbours(collector, first) ? flow_of(first->operation) : FLOW_UNKNOWN;
  uint32_t moment = flow == FLOW_UNKNOWN ? MPI_NONE : make_moment(collector, operation, flow);
  enum report_cause cause =
      first->operation == OTF2_COLLECTIVE_OP_BARRIER ? CAUSE_MPI_BARRIER : CAUSE_MPI_COLLECTIVE;
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    bool is_waiting = moment != MPI_NONE && waits(collector, operation, member, flow);
    mpi_waits_depend(collector, &member->ended, is_waiting ? moment : MPI_NONE, cause);
  }
  if (moment != MPI_NONE)
    mpi_waits_release(collector, moment);
  if (flow != FLOW_UNKNOWN && cause == CAUSE_MPI_BARRIER)
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
  if (!array_reserve(&state->finalize_members, &state->finalize_capacity, all->member_count + 1,
                     sizeof *state->finalize_members)) {
    collector->has_failed = true;
    return;
  }
  uint32_t slot = mpi_waits_find(collector, call->id);
  if (slot == MPI_NONE)
    return;
  mpi_waits_call(collector, slot)->pending++;
  state->finalize_members[all->member_count++] = (struct mpi_member){.begun = *call,
                                                                     .ended = *call,
                                                                     .begin_ticks = call->enter_ticks,
                                                                     .process = process,
                                                                     .operation = OTF2_COLLECTIVE_OP_BARRIER};
  all->members = state->finalize_members;
  all->expected = count_processes(state, collector->trace->location_group_count + 1);
  if (all->member_count == all->expected)
    mpi_waits_on_operation(collector, all);
}
