/* Collective operations: which members wait for which. */
#ifndef STAVE_REPLAY_MPI_FLOW_H
#define STAVE_REPLAY_MPI_FLOW_H

#include "replay/mpi.h"

/* Who has to be there before somebody can go on. */
enum mpi_flow { MPI_FLOW_ALL, MPI_FLOW_FROM_ROOT, MPI_FLOW_TO_ROOT, MPI_FLOW_UNKNOWN };

/* Unknown, too, where not all members are there. */
enum mpi_flow mpi_flow_of(const struct trace *trace, const struct mpi_operation *operation);

/* Whether the member is a part of what others wait for, and whether it waits. */
bool mpi_is_awaited(const struct mpi_replay *mpi, const struct mpi_operation *operation,
                    const struct mpi_member *member, enum mpi_flow flow);
bool mpi_waits(const struct mpi_replay *mpi, const struct mpi_operation *operation,
               const struct mpi_member *member, enum mpi_flow flow);

#endif
