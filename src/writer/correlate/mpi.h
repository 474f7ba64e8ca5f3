/* What the correlator keeps of MPI. */
#ifndef STAVE_WRITER_CORRELATE_MPI_H
#define STAVE_WRITER_CORRELATE_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct correlator;

/* The tool's numbers of these two (records.def). */
enum { MPI_COMM_OF_WORLD, MPI_COMM_OF_SELF };

struct mpi_ranks {
  uint32_t *all;
  size_t count, capacity;
};

/* By the tool's number. */
struct mpi_comm {
  uint32_t reference;        /* of its definition, + 1; 0: its members are still being told */
  struct mpi_ranks ranks[2]; /* of the own group and the other one, as far as they were told */
  bool is_between;           /* two groups, written as one */
  uint32_t before_others;    /* between two groups: members in front of the other one's; else 0 */
};

void mpi_comms_free(struct correlator *correlator);

#endif
