/* Instants on two clocks: ranks of other clocks than rank 0's request the time from it, at the beginning and
 * at the end. */
#ifndef STAVE_MPI_CLOCKS_H
#define STAVE_MPI_CLOCKS_H

/* In MPI_Init, when the ranks are known: all ranks that have this library find out whether they have one
 * clock (rendezvous.h); if not, one rank of each clock records a point. */
void clocks_begin(void);

/* In MPI_Finalize, before MPI's own: these ranks record another one. Waits until they have all come here, as
 * MPI_Finalize does. */
void clocks_end(void);

#endif
