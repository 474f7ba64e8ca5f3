/* Who sent how much to whom, and what calls of MPI cost: sums over a window of the trace, the same for the
 * report and the page.
 *
 *   traffic_begin -> traffic_left, traffic_message and traffic_operation as mpi.h's observer reports them ->
 * traffic_finish -> traffic_free
 *
 * A message or an operation counts where a part of it lies in the window, the time of calls, and how long
 * they waited, as far as it does. */
#ifndef STAVE_REPLAY_TRAFFIC_H
#define STAVE_REPLAY_TRAFFIC_H

#include "base/pair_map.h"
#include "replay/mpi.h"

/* Messages from one process to another: positions of location groups. Times in ticks, from the send to when
 * it had been received. */
struct traffic_pair {
  uint32_t from, to;
  uint64_t messages, bytes, ticks, longest;
  uint64_t wait;        /* how long receivers had been in their calls when it was sent */
  uint64_t sender_wait; /* how long senders had been in theirs when the receive was posted */
  uint64_t early;       /* how long after the send the receive was posted, of sends that did not wait */
};

/* Calls of a function at a place by a process. wait: for senders and receivers, and for the last process of
 * an operation, of a call in which several end the longest; bytes: what was sent in it. */
struct traffic_call {
  uint32_t process, region;
  uint64_t site; /* ref of the code line, or TRACE_NO_REF */
  uint64_t count, ticks, wait, bytes;
};

/* Collective operations of a communicator by the function that their first member called; last: the process
 * that came last to the one where most was waited. */
struct traffic_operation {
  uint32_t comm, region; /* comm UINT32_MAX: MPI_Finalize of all */
  uint64_t count, ticks, wait, longest;
  uint32_t last;
};

struct traffic {
  struct traffic_pair *pairs; /* by from, then by to */
  size_t pair_count;
  struct traffic_call *calls; /* the longest first */
  size_t call_count;
  struct traffic_operation *operations; /* the most waited for first */
  size_t operation_count;
  const struct trace *trace;
  uint64_t from, to;
  struct pair_map pair_places, call_places, operation_places;
};

void traffic_begin(struct traffic *ret, const struct trace *trace, uint64_t from, uint64_t to);
void traffic_left(struct traffic *traffic, const struct mpi_call *call, uint64_t leave_ticks);
void traffic_message(struct traffic *traffic, const struct mpi_message *message);
void traffic_operation(struct traffic *traffic, const struct mpi_operation *operation);

/* Calls that are open end then. Sorts. */
void traffic_finish(struct traffic *traffic, const struct mpi_replay *mpi, uint64_t end_ticks);
void traffic_free(struct traffic *traffic);

#endif
