#include "replay/mpi_flow.h"

#include <string.h>

#include <otf2/otf2.h>

static enum mpi_flow flow_of_kind(uint8_t operation) {
  switch (operation) {
  case OTF2_COLLECTIVE_OP_BCAST:
  case OTF2_COLLECTIVE_OP_SCATTER:
  case OTF2_COLLECTIVE_OP_SCATTERV:
    return MPI_FLOW_FROM_ROOT;
  case OTF2_COLLECTIVE_OP_GATHER:
  case OTF2_COLLECTIVE_OP_GATHERV:
  case OTF2_COLLECTIVE_OP_REDUCE:
    return MPI_FLOW_TO_ROOT;
  case OTF2_COLLECTIVE_OP_BARRIER:
  case OTF2_COLLECTIVE_OP_ALLGATHER:
  case OTF2_COLLECTIVE_OP_ALLGATHERV:
  case OTF2_COLLECTIVE_OP_ALLTOALL:
  case OTF2_COLLECTIVE_OP_ALLTOALLV:
  case OTF2_COLLECTIVE_OP_ALLTOALLW:
  case OTF2_COLLECTIVE_OP_ALLREDUCE:
  case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
  case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
    return MPI_FLOW_ALL;
  default: /* a scan depends on lower ranks; what makes communicators need not wait */
    return MPI_FLOW_UNKNOWN;
  }
}

/* Among neighbours nobody waits for all. */
static bool is_of_neighbours(const struct trace *trace, const struct mpi_member *member) {
  uint32_t region = member->started.region;
  return region < trace->region_count && strstr(trace->regions[region].name, "eighbor") != NULL;
}

enum mpi_flow mpi_flow_of(const struct trace *trace, const struct mpi_operation *operation) {
  bool has_all = operation->member_count == operation->expected && operation->expected > 1;
  return has_all && !is_of_neighbours(trace, operation->members)
             ? flow_of_kind(operation->members[0].operation)
             : MPI_FLOW_UNKNOWN;
}

static bool is_root(const struct mpi_replay *mpi, const struct mpi_operation *operation,
                    const struct mpi_member *member) {
  return mpi_process_rank(mpi, operation->comm, member->process) == member->root;
}

bool mpi_is_awaited(const struct mpi_replay *mpi, const struct mpi_operation *operation,
                    const struct mpi_member *member, enum mpi_flow flow) {
  return flow == MPI_FLOW_ALL || (flow == MPI_FLOW_FROM_ROOT) == is_root(mpi, operation, member);
}

bool mpi_waits(const struct mpi_replay *mpi, const struct mpi_operation *operation,
               const struct mpi_member *member, enum mpi_flow flow) {
  return flow == MPI_FLOW_ALL || (flow == MPI_FLOW_TO_ROOT) == is_root(mpi, operation, member);
}
