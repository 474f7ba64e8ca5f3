/* What the files of mpi.h share. */
#ifndef STAVE_REPLAY_MPI_STATE_H
#define STAVE_REPLAY_MPI_STATE_H

#include "base/pair_map.h"
#include "base/pool.h"
#include "replay/match_queue.h"
#include "replay/mpi.h"

enum { MPI_LINK_NONE = UINT32_MAX };

/* A message of which one end is known at least. */
struct mpi_half {
  struct mpi_message message;
  uint32_t next; /* in its channel */
  bool is_sent, is_received;
  bool is_open; /* its send's request has not ended */
};

/* Where messages of one communicator, sender, receiver and tag wait for their other end: either all are sent
 * and not received, or vice versa. */
struct mpi_channel {
  uint32_t first, last; /* in the pool of halves */
};

/* A request that is in progress. */
struct mpi_request {
  struct mpi_call started;
  uint64_t begin_ticks, posting; /* posting: its number in that of its process */
  uint32_t half;                 /* of a send; MPI_LINK_NONE: it is none */
  bool is_collective;
};

/* A receive that has ended and waits for its turn; a part of a collective operation with a request. */
struct mpi_late {
  struct mpi_message message;
  struct mpi_member member;
};

struct mpi_operation_state {
  struct mpi_operation operation;
  struct mpi_member *members;
  size_t capacity;
};

struct mpi_rank_table {
  uint32_t *processes;     /* by rank; UINT32_MAX: missing */
  uint32_t count, present; /* present: whose archives are there */
  bool is_self, is_mpi;
};

struct mpi_replay {
  const struct trace *trace;
  struct mpi_observer observer;
  void *data;
  bool *is_mpi;           /* by position of the region */
  struct mpi_call *calls; /* by location: what is open */
  uint32_t *endings; /* by location: of the open call, in their pool, from 1; 0: nothing has ended in it */
  uint64_t *begin_ticks; /* by location: of the collective operation that is open */
  uint32_t *processes;   /* by location */
  uint64_t call_count;
  uint64_t site_attribute;
  struct mpi_rank_table *ranks;                     /* by comm */
  struct pair_map rank_of;                          /* by comm and process: rank + 1 */
  struct match_queue *receives, *operations_posted; /* by process */
  struct pool halves, channel_pool, requests, late, operation_pool, ending_pool;
  struct pair_map channels, request_table, operations, counts;
  size_t process_count;
  bool has_mpi;
};

/* Where the event's call is; outside of all calls it is one by itself. */
struct mpi_call mpi_call_at(const struct mpi_replay *mpi, const struct trace_event *event);

/* Position of a comm of MPI; UINT32_MAX: it is none, or unknown. */
uint32_t mpi_comm_at(const struct mpi_replay *mpi, uint32_t ref);

/* Requests of a process. Taking one out returns false if nobody knows it. */
bool mpi_remove_request(struct mpi_replay *mpi, uint32_t process, uint64_t id, struct mpi_request *ret);
void mpi_add_request(struct mpi_replay *mpi, uint32_t process, uint64_t id,
                     const struct mpi_request *request);

/* An end, or a part of an operation, ends in this call, which is open. mpi_release_ending when it was
 * reported. */
struct mpi_ending *mpi_notify_end(struct mpi_replay *mpi, const struct mpi_call *call);
void mpi_release_ending(struct mpi_replay *mpi, struct mpi_ending *ending);
void mpi_leave_ending(struct mpi_replay *mpi, size_t location, uint64_t ticks);

/* -- mpi_messages.c -- */
void mpi_messages_process(struct mpi_replay *mpi, const struct trace_event *event);
void mpi_messages_finish(struct mpi_replay *mpi);

/* -- mpi_collectives.c -- */
void mpi_collectives_process(struct mpi_replay *mpi, const struct trace_event *event);
void mpi_collectives_finish(struct mpi_replay *mpi);

#endif
