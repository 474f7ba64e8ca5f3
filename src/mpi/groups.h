/* Groups of processes: their ranks in MPI_COMM_WORLD, as records. */
#ifndef STAVE_MPI_GROUPS_H
#define STAVE_MPI_GROUPS_H

#include "mpi/call.h"
#include "session/mpi_records.h"

enum { GROUP_NONE = UINT32_MAX };

/* The ranks in MPI_COMM_WORLD of a group's members, which the caller frees; NULL: it has others. */
int *group_ranks(word group, int *ret_count);

/* Records the members of what has this number, in front of its own record. */
void put_ranks(uint32_t number, enum ranks_of of, const int *ranks, int count);

/* Stave's number of the group, by its members; GROUP_NONE: they are not all of MPI_COMM_WORLD. */
uint32_t group_number(word group);

#endif
