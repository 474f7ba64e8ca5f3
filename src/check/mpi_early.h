/* Messages that a process received before they were sent, by more than clocks may be wrong.
 *
 * Where one thread of a process receives, each receive has its send (replay/mpi.h). Of several threads no
 * event shows whose turn was first. There only numbers are compared: what a process has received of one
 * sender, communicator and tag until any time, at least as many must have been sent. So the receives as they
 * end are held against the sends as they begin, the first against the first: whichever belong together in
 * truth, one of them was at least as early as this shows. */
#ifndef STAVE_CHECK_MPI_EARLY_H
#define STAVE_CHECK_MPI_EARLY_H

#include "replay/mpi.h"

struct mpi_early;

struct mpi_earliness {
  uint64_t received; /* messages */
  uint64_t early;    /* of them, by more than the deviation */
  uint64_t most_ns;
  struct mpi_message worst; /* the one that was early by most_ns */
};

/* deviation_ns: that clocks may be wrong against each other. mpi_early_free. */
struct mpi_early *mpi_early_create(const struct trace *trace, uint64_t deviation_ns);

/* An end of a message, in the order of time; process: position of the location group of that end. */
void mpi_early_end(struct mpi_early *early, size_t process, const struct mpi_message *message, bool is_send);

/* A message with both ends; process: the receiver's. */
void mpi_early_message(struct mpi_early *early, size_t process, const struct mpi_message *message);

/* Of what the process received. */
const struct mpi_earliness *mpi_early_of(const struct mpi_early *early, size_t process);

/* Accepts NULL. */
void mpi_early_free(struct mpi_early *early);

#endif
