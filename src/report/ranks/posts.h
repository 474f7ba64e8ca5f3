/* Results that a rank which replays a share of the processes sends to rank 0.
 *
 * A process's threads, teams and locks are its own, and so are their counts. These are sent at the end, in
 * integers, whose sums do not depend on the order (posts_sums.c). All else that changes the report is sent
 * during the replay, and rank 0 processes all ranks' results in the order of the events, as if it had
 * replayed these itself: values that are added up in order, such as differences of neighbours, and calls of
 * MPI, in which several processes participate. So the report is that of a single process, to the byte. */
#ifndef STAVE_REPORT_RANKS_POSTS_H
#define STAVE_REPORT_RANKS_POSTS_H

#include "report/collect/mpi_waits.h"
#include "report/collect/serial.h"
#include "trace/trace_packed.h"
#include "trace/trace_ranks.h"

/* Questions to ranks: what they have of the events of their processes; and what is left when the last event
 * of all ranks was at `from_ticks`. */
enum { QUESTION_EVENTS, QUESTION_REST };

enum post_kind {
  POST_WAIT,      /* struct post_wait */
  POST_CALL,      /* struct post_call and an event */
  POST_PHASE,     /* struct post_phase and its shares */
  POST_INSTANCE,  /* struct post_instance */
  POST_REDUCTION, /* struct barrier_reduction */
  POST_SERIAL,    /* struct serial_part */
  POST_LOCK,      /* struct post_lock */
  POST_SUMS,      /* struct post_sums: the last one of QUESTION_EVENTS */
  POST_ANOMALIES, /* struct replay_anomalies */
  POST_THREAD,  /* struct post_thread, and of an account's readings: those in serial parts, and while it waits
                 */
  POST_PROCESS, /* struct post_process and pieces of its longest path */
  POST_REGION,  /* struct post_region, and arrays by location of those that the rank has */
};

struct post_wait {
  uint32_t region, location;
  uint64_t ticks;
};

struct post_call {
  struct mpi_around around;
  uint32_t process;
  double useful; /* of its process, so far */
};

/* Of a team that is alive what it adds to sums: up to here it is of numbers alone. */
enum { LIVE_TEAM_SUMS = offsetof(struct live_team, id) };

struct post_instance {
  struct team_instance instance;
  char live_team[LIVE_TEAM_SUMS];
};

struct post_phase {
  char live_team[LIVE_TEAM_SUMS];
  struct team_phase phase;
  uint32_t region, share_count;
};

/* Of the task that needs the lock, or has it, the id and the slot; is_members: a team's member is it. */
struct post_lock {
  struct replay_lock_event event;
  uint64_t task;
  uint32_t slot;
  bool is_members;
};

struct post_sums {
  uint64_t first_ticks, now_ticks, events, forks, recording_pauses, callbacks;
  uint32_t between_callbacks[HISTOGRAM_BUCKETS];
};

struct post_thread {
  uint32_t location, reading_count;
  struct report_thread thread;
};

struct post_piece {
  uint64_t ticks;
  uint32_t region, unused;
};

struct post_process {
  uint32_t process, piece_count;
  struct report_process counted;
  struct serial_open serial;
};

/* Which details there are, and which of them have an array. */
enum {
  REGION_HAS_PARALLEL = 1,
  REGION_HAS_LOOP = 2,
  PARALLEL_HAS_USEFUL = 4,
  PARALLEL_HAS_ACCOUNT = 8,
  LOOP_HAS_LOCATIONS = 16,
};

struct post_region {
  uint32_t region, has, first_location, location_count;
  bool is_runtimes;
  uint64_t visits, inclusive, useful, wait, encounters;
  struct spread time, trips, chunks, chunk_time;
};

/* Where a rank's items go, and the one that is being made. */
struct posts {
  struct rank_server *server;
  uint64_t ticks;                    /* of the item: the latest so far */
  const struct packed_event *packed; /* the event that goes by */
  char *bytes;
  size_t used, capacity;
  bool is_over; /* rank 0 reads no more */
};

/* -- posts.c: of a rank -- */
extern const struct posting posts_posting;

/* An item, in parts: each is filled up to a multiple of 8. */
void post_begin(struct collector *collector, enum post_kind kind);
void post_part(struct collector *collector, const void *bytes, size_t size);
void post_end(struct collector *collector);

/* -- posts_sums.c: what a rank has counted, for both sides -- */
void post_sums(struct collector *collector, uint64_t events);

/* All that is counted for entire processes, of those of the locations from `first` up to `end`. */
void post_counted(struct collector *collector, size_t first, size_t end);

/* Of rank 0: adds what an item has, from these kinds. Returns false if it is none of them. */
bool posts_add_counted(struct collector *collector, enum post_kind kind, const char *item);

/* -- posts_add.c: of rank 0 -- */

/* Applies the item. */
void posts_add(struct collector *collector, const struct packed_event *item);

#endif
