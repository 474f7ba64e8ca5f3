/* Messages and collective operations of MPI, put together from the events of all ranks.
 *
 *   mpi_create -> mpi_process for every event from the beginning, in the order of time -> mpi_finish ->
 * mpi_free
 *
 * A message is what one rank has sent and another one has received: of the same communicator, sender,
 * receiver and tag the first one sent is received by the receive that was posted first (MPI 4.0, 3.5). Which
 * one that is, is known when all receives that were posted before have ended; until then what came is kept.
 * What ranks do whose archives are missing is left out. Memory is bounded by messages, requests and
 * operations that are in progress. */
#ifndef STAVE_REPLAY_MPI_H
#define STAVE_REPLAY_MPI_H

#include "replay/links.h"
#include "trace/trace.h"

/* A call of one of MPI's functions. */
struct mpi_call {
  uint64_t id; /* counted from 1; 0: none */
  size_t location;
  uint32_t region;      /* position in the trace's regions; UINT32_MAX: none is open */
  uint64_t site;        /* ref of the code line where it is called, or TRACE_NO_REF */
  uint64_t enter_ticks; /* without a region: the event's time */
};

/* A call in which ends of messages or parts of operations have ended that are still to be reported. */
struct mpi_ending {
  bool is_left;
  uint64_t left_ticks;
  uint64_t waited; /* the observer's: for the longest wait in it so far */
  uint32_t number, references;
};

/* One end of a message. */
struct mpi_end {
  struct mpi_call started,
      ended;            /* the calls in which it was started and has ended; ended.id 0: it has not */
  uint64_t begin_ticks; /* send: of its event; receive: since when somebody waits for it */
  uint64_t end_ticks;   /* send without a request: as begin_ticks */
  uint64_t bytes;
  struct mpi_ending *ending; /* of `ended`; NULL: outside of all calls */
  bool has_request;
};

struct mpi_message {
  uint32_t comm;             /* position in the trace's comms */
  uint32_t sender, receiver; /* ranks in it */
  uint32_t tag;
  struct mpi_end send, receive;
};

/* Whether the call in which the send ended had been left then. */
static inline bool mpi_has_left(const struct mpi_message *message, uint64_t ticks) {
  return message->send.ending && message->send.ending->is_left && message->send.ending->left_ticks <= ticks;
}

/* What one rank did of a collective operation. */
struct mpi_member {
  struct mpi_call started, ended;
  uint64_t begin_ticks, end_ticks;
  struct mpi_ending *ending; /* as in struct mpi_end */
  uint32_t process;          /* position of its location group */
  uint32_t root;             /* as in OTF2 */
  uint8_t operation;
  bool has_request;
};

struct mpi_operation {
  uint32_t comm;
  uint64_t number; /* on this communicator, from 0; those with and without a request are counted apart */
  const struct mpi_member *members; /* those who have ended it */
  size_t member_count, expected;    /* expected: ranks of the communicator whose archives are there */
};

/* The observer; any may be NULL. What is pointed to lasts until the return. */
struct mpi_observer {
  /* a message was received or begins to be sent, of whom it has this end, in the order of time */
  void (*end)(void *data, const struct mpi_message *message, bool is_send);
  /* both ends are known and have ended */
  void (*message)(void *data, const struct mpi_message *message);
  /* at mpi_finish: nobody received what was sent, or sent what was received */
  void (*unmatched)(void *data, const struct mpi_message *message, bool is_send);
  /* at mpi_finish: a request that did not end */
  void (*open_request)(void *data, const struct mpi_call *started);
  /* all have ended it; or, at mpi_finish, some */
  void (*operation)(void *data, const struct mpi_operation *operation);
  /* an end of a message, or a part of an operation, ends in this call, and will be reported later; and a send
   * begins in it */
  void (*ends_in)(void *data, const struct mpi_call *call);
  void (*begins_in)(void *data, const struct mpi_call *call);
  void (*left)(void *data, const struct mpi_call *call, uint64_t ticks);
  void (*link)(void *data, const struct replay_link *link);
};

struct mpi_replay;

/* `observer` is copied. mpi_free. */
struct mpi_replay *mpi_create(const struct trace *trace, const struct mpi_observer *observer, void *data);

/* Removes the next event. */
void mpi_process(struct mpi_replay *mpi, const struct trace_event *event);

/* Whether mpi_process has any use for the event. */
bool mpi_concerns(const struct mpi_replay *mpi, const struct trace_event *event);

/* Reports what is left. Nothing may be taken afterwards. */
void mpi_finish(struct mpi_replay *mpi);

/* Accepts NULL. */
void mpi_free(struct mpi_replay *mpi);

/* The call that is open on a location; its id is 0 if there is none. */
struct mpi_call mpi_open_call(const struct mpi_replay *mpi, size_t location);

/* Whether the trace has any region of MPI. */
bool mpi_is_there(const struct mpi_replay *mpi);

/* Position of the location group in which a rank of a communicator is (of the trace's comms, by position);
 * UINT32_MAX: its archive is missing. */
uint32_t mpi_rank_process(const struct mpi_replay *mpi, uint32_t comm, uint32_t rank);

/* The rank of a process in a communicator; UINT32_MAX: none. */
uint32_t mpi_process_rank(const struct mpi_replay *mpi, uint32_t comm, uint32_t process);

#endif
