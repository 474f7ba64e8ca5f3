/* The processes of an MPI job that read one archive together, by the MPI whose launcher has started them.
 * That is loaded as it is needed: nothing is linked to an MPI. */
#ifndef STAVE_TRACE_RANKS_H
#define STAVE_TRACE_RANKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_ERROR_BYTES = 512 };

struct ranks_job; /* opaque; one in a process */

/* Sent or received without waiting. All zero: nothing is in progress. */
struct ranks_transfer {
  uintptr_t request; /* of the MPI's; of four bytes or of eight */
  bool is_active;
};

/* Loads the MPI, `library` or, where that is NULL, the one whose launcher has started this process, and
 * begins. `is_waiting` (NULL: not needed) is true while ranks_wait waits for another rank. Returns 0, or
 * -ENOENT with one line in `error`. */
int ranks_begin(struct ranks_job **ret, const char *library, _Atomic bool *is_waiting,
                char error[RANKS_ERROR_BYTES]);

/* Ends MPI. Nothing is in progress. Accepts NULL. */
void ranks_end(struct ranks_job *ranks);

unsigned ranks_own(const struct ranks_job *ranks);
unsigned ranks_count(const struct ranks_job *ranks);

/* What is sent may not change, and what is received has no value, until the transfer is over. Messages of one
 * tag from one rank come in order. */
void ranks_send(struct ranks_job *ranks, unsigned to, int tag, const void *bytes, size_t size,
                struct ranks_transfer *transfer);
void ranks_receive(struct ranks_job *ranks, unsigned from, int tag, void *bytes, size_t size,
                   struct ranks_transfer *transfer);

/* Whether it is over. One that is not active is. */
bool ranks_is_over(struct ranks_job *ranks, struct ranks_transfer *transfer);
void ranks_wait(struct ranks_job *ranks, struct ranks_transfer *transfer);

#endif
