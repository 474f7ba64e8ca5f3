/* Calls that only test whether something is complete or there, and find that it is not: a program may make
 * millions of them. Those in a row become few records (mpi_polls), of which stave-writer makes one region. */
#ifndef STAVE_MPI_POLLS_H
#define STAVE_MPI_POLLS_H

#include "mpi/call.h"

/* The program initializes MPI from the first of these two on, to the second: how fast ticks are. */
struct polls_clock {
  uint64_t ticks, ns;
};
struct polls_clock polls_clock_now(void);
void polls_begin(const struct polls_clock *before);

/* The call began at `begin` and has found nothing. */
void polls_add(const struct call *call, uint64_t begin);

/* In front of the thread's next record: records what polls_add keeps. Returns how many calls can no longer be
 * recorded, as other records of the thread came after them. */
uint64_t polls_flush(void);

#endif
