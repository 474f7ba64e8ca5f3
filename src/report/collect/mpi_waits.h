/* Times for which ranks wait for each other in calls of MPI, and the run's duration with a network without
 * delays.
 *
 * Each call depends on moments of others: when a message was sent, when the last rank reached a collective
 * operation. It waits until the latest of them, and without the network's delay it would end then. So each
 * process has a gain of its own so far. A call is computed once all earlier calls on its thread and all
 * moments that it depends on are computed. */
#ifndef STAVE_REPORT_COLLECT_MPI_WAITS_H
#define STAVE_REPORT_COLLECT_MPI_WAITS_H

#include "base/pool.h"
#include "replay/mpi.h"
#include "report/collect/collect.h"

/* No call, no moment. */
#define MPI_NONE UINT32_MAX

/* A call of MPI that has not been computed, or whose begin is still needed. */
struct live_call {
  struct mpi_call call;
  uint64_t leave_ticks;                  /* 0: it is open */
  double weight;                         /* of its process's time: 1, or less in a team */
  uint32_t process, pending, references; /* pending: moments that will be known */
  uint32_t next;                         /* on its thread */
  uint32_t waiting;                      /* a list of moments that its begin is a part of */
  uint32_t depends;                      /* a list of moments */
  bool has_started, is_done;             /* computed */
  double begin_gained;                   /* what its process had gained by its begin */
  double lost;                           /* by the process's threads since the last call of this one */
  uint32_t parallel;                     /* the last region there; REPLAY_NONE: none */
};

/* When something was there that others wait for. */
struct moment {
  uint64_t ticks;
  double ideal;                 /* its time without the network's */
  uint32_t unknown, references; /* unknown: parts that are not computed */
  uint32_t waiting;             /* a list of calls */
  struct mpi_call late;         /* the last part: whose call it was */
  uint32_t late_process;
  double late_lost;
  uint32_t late_parallel;
};

/* One of a list. */
struct mpi_link {
  uint32_t item, next;
  enum report_cause cause; /* of what a call depends on */
  uint64_t ticks;          /* of a part that waits */
  uint64_t call;           /* the id of a call that waits, which may be gone */
};

/* What the thread is in as a call begins. */
struct mpi_around {
  bool is_in_team;
  uint32_t team_size, parallel; /* parallel: the last region of its process */
};

struct mpi_waits {
  struct mpi_replay *mpi;
  struct pool calls, moments, links;
  struct pair_map by_id; /* calls */
  struct pair_map places;
  uint32_t *first, *last; /* by location: calls that are not computed, in order */
  uint64_t *left_ticks;   /* by location: when the last call was left */
  double *left_useful;    /* by location: its process's useful time then */
  double *gained;         /* by process: by what the network would have been faster so far */
  double *useful;         /* by process: of all threads */
  size_t *widths;         /* by process: threads */
  bool *has_mpi;          /* by process */
  uint64_t *ready;        /* ids of calls that may be computed now; they may be gone */
  size_t ready_count, ready_capacity;
  const struct mpi_around *around; /* of the event's thread, which another rank replays; NULL: this one */
  bool is_over;                    /* nothing more will come */
  struct mpi_operation finalize;
  uint64_t finalize_ticks; /* when the last process so far has called MPI_Finalize */
  struct mpi_member *finalize_members;
  size_t finalize_capacity;
};

/* -- mpi_moments.c -- */

/* Adds to a list, by the position of its first; removes the first, false: there is none. */
bool mpi_pop(struct collector *collector, uint32_t *list, struct mpi_link *ret);

/* It may be that the call with this id can be computed now. */
void mpi_make_ready(struct collector *collector, uint64_t call);

/* Forgets a call that is computed and no longer needed. */
void mpi_drop_if_done(struct collector *collector, uint32_t slot);

struct moment *mpi_moment_at(struct collector *collector, uint32_t slot);

/* A part of a moment: what a call that has started did at `ticks`. */
struct moment mpi_part_of(const struct live_call *call, uint64_t ticks);
void mpi_know_part(struct collector *collector, uint32_t slot, const struct moment *part);

struct live_call *mpi_waits_call(struct collector *collector, uint32_t slot);
/* The slot of the call with this id; MPI_NONE: it does not live. */
uint32_t mpi_waits_find(struct collector *collector, uint64_t id);

/* A moment of `parts` parts, which the caller holds until mpi_waits_release. */
uint32_t mpi_waits_moment(struct collector *collector, uint32_t parts);

/* One part of it: what was at `ticks`, in a call, which may be gone. */
void mpi_waits_add_part(struct collector *collector, uint32_t moment, const struct mpi_call *call,
                        uint32_t process, uint64_t ticks);

/* The call, if it lives, depends on the moment; MPI_NONE: on none. One of what was pending is known. */
void mpi_waits_depend(struct collector *collector, const struct mpi_call *call, uint32_t moment,
                      enum report_cause cause);
void mpi_waits_release(struct collector *collector, uint32_t moment);

/* -- collect_messages.c -- */
struct mpi_around mpi_waits_around(const struct collector *collector, size_t location);

/* -- collect_collectives.c -- */
void mpi_waits_on_operation(void *data, const struct mpi_operation *operation);

/* A process comes to MPI_Finalize: all wait there for the last one. */
void mpi_waits_on_finalize(struct collector *collector, const struct mpi_call *call, uint32_t process);

/* What begins at `begin` cannot have an effect that ends at `end`, unless clocks differ; end 0: not known. */
void mpi_waits_compare(struct collector *collector, uint64_t begin, uint64_t end);

#endif
