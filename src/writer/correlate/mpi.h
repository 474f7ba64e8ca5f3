/* What the correlator keeps of MPI. */
#ifndef STAVE_WRITER_CORRELATE_MPI_H
#define STAVE_WRITER_CORRELATE_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/mpi_records.h"

struct correlator;
struct traced_thread;

/* More are no program's: such a number is damaged. */
enum { MPI_NUMBERS_MAX = 1 << 24 };

struct mpi_ranks {
  uint32_t *all;
  size_t count, capacity;
};

/* By the tool's number. */
struct mpi_comm {
  uint32_t reference;        /* of its definition, + 1; 0: its members are still being reported */
  struct mpi_ranks ranks[2]; /* of the own group and the other one, as far as they were reported */
  bool is_between;           /* two groups, written as one */
  uint32_t before_others;    /* between two groups: members in front of the other one's; else 0 */
};

/* A group that processes synchronize with, by the tool's number. */
struct mpi_group_ranks {
  uint32_t reference; /* of its definition, + 1; 0: its members are still being reported */
  struct mpi_ranks ranks;
};

/* The region of calls that found nothing (model.h, has_polls) ends. */
void mpi_polls_end(struct correlator *correlator, struct traced_thread *thread);

void mpi_comms_free(struct correlator *correlator);
void mpi_windows_free(struct correlator *correlator);

/* What the archive calls a communicator; false: it is not known, since its record was lost. */
bool mpi_comm_find(const struct correlator *correlator, uint32_t number, uint32_t *ret);

/* NULL: there is none of such a number. Valid until the next one. */
struct mpi_group_ranks *mpi_group_at(struct correlator *correlator, uint32_t number);

/* The request begins with the record that is looked at: whether that is hidden by a pause. And whether one
 * that ends had started so: then its end is not written, and it is forgotten. */
bool mpi_request_begins_hidden(struct correlator *correlator);
bool mpi_request_ends_hidden(struct correlator *correlator, uint64_t request);

/* A collective operation on the thread: its end is written if its begin was. */
void mpi_collective_begins(const struct correlator *correlator, struct traced_thread *thread);
bool mpi_collective_ends(struct traced_thread *thread);

#endif
