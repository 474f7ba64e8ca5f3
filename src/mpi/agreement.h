/* Whether all ranks that are to compare their clocks (rendezvous.h) do so: a communicator of theirs is made
 * by all or by none, else those who make it wait in MPI without end.
 *
 * What one rank has written in the folder another one may be unable to read, at any moment. So the folder
 * only shows that a rank listens, and the rest goes over MPI_COMM_WORLD, which loses nothing: the first of
 * the ranks sends a question to each one that listens, each answers, and the first announces to all what is
 * decided. The decision is yes when all have answered, and each that has answered waits for the decision. So
 * no rank waits for one that does not come, nor for one that decides nothing.
 *
 * No message reaches the program: each has its receive posted before it can be sent. A rank that gives up
 * leaves MPI_Init with its receives still posted, up to MPI_Finalize; they receive messages that are late.
 * They match one tag of one rank only, so they match none of the program's messages. */
#ifndef STAVE_MPI_AGREEMENT_H
#define STAVE_MPI_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Called by each of the `count` of `ranks`, ascending, with errors of MPI_COMM_WORLD returned. True for all
 * of them or for none. Waits for 10 s at most for a rank that does not come. */
bool agreement_reach(const char *archive, const int *ranks, size_t count);

/* Before MPI_Finalize: ends the receives that are still open. */
void agreement_end(void);

#endif
