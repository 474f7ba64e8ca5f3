/* What if: the wall time of a run in which something had been otherwise, from the replay of its trace.
 *
 * Each thread has a second clock, which goes as the first while it works, but for what is to be otherwise,
 * and waits again for what it waited for in the trace: the team's last member, who had the lock before, who
 * created the task. So the order in which locks are acquired and tasks run remains that of the trace. */
#ifndef STAVE_WHAT_IF_WHAT_IF_H
#define STAVE_WHAT_IF_WHAT_IF_H

#include "trace/trace.h"

enum what_if_kind {
  WHAT_IF_FASTER,  /* work in a region */
  WHAT_IF_SERIAL,  /* work outside of all teams is faster */
  WHAT_IF_BALANCE, /* a region's work is shared evenly */
  WHAT_IF_NO_LOCK, /* nobody waits for it */
  WHAT_IF_RANK,    /* work of a rank of a job is faster */
  WHAT_IF_THREADS, /* teams have `factor` threads, which share what they did */
};

enum { WHAT_IF_CHANGES_MAX = 8, WHAT_IF_PLACE_BYTES = 256, WHAT_IF_PATH_MAX = 6 };

struct what_if_change {
  enum what_if_kind kind;
  double factor;                   /* how many times faster; INFINITY: in no time */
  char place[WHAT_IF_PLACE_BYTES]; /* a part of a region's name, or a lock's variable, or a rank's number;
                                      serial: "" */
  bool *is_place;                  /* by region, while it is computed */
  size_t process;                  /* of a rank, while it is computed */
};

/* A part of the critical path: all that leads through this region of this process. */
struct what_if_step {
  uint32_t region;  /* by position; UINT32_MAX: outside of all regions */
  uint32_t process; /* position of its location group */
  uint64_t site;    /* of a call of MPI: ref of its code line; TRACE_NO_REF: unknown */
  double ticks;
};

/* A run in which all of its changes were so. */
struct what_if {
  struct what_if_change changes[WHAT_IF_CHANGES_MAX];
  size_t change_count;
  double wall_ticks, gain_ticks;
  double deviation_ticks; /* as of findings: how much another one the gain is in a run like this; below 0:
                             unknown */
  /* with other threads: what of these is not known makes the wall time no shorter and no longer than this */
  bool has_interval;
  double shortest_ticks, longest_ticks;
  struct what_if_step path[WHAT_IF_PATH_MAX]; /* the longest first, if paths are requested */
  size_t path_count;
  double path_ticks; /* of all its parts */
};

/* "region @app.c:12 2x faster", "rank 1 2x faster", "serial part halved", "serial part 3x faster", "balance
 * @app.c:9", "schedule
 * @app.c:9 dynamic" (the same), "threads 8", "no lock
 * @app.c:4": adds the change. False if the text is none such, or there are too many. */
bool what_if_read(struct what_if *ret, const char *text);

/* All that what_if_read knows, in words. */
extern const char what_if_words[];

/* The position of the first change whose place is no region's, no lock's and no rank's; the count: all are.
 */
size_t what_if_unknown(const struct what_if *what_if, const struct trace *trace);

/* Whether the place means this name: it is a part of it that no digit follows. */
bool what_if_is_place(const char *place, const char *name);

/* Regions with work in them, which may be made faster: at most `most`, by position. */
size_t what_if_candidates(const struct trace *trace, uint32_t *ret, size_t most);

/* Where a rank's process is among location groups; SIZE_MAX: there is none. */
size_t what_if_rank(const struct trace *trace, unsigned long rank);

/* Computes all of them. Reads the trace once, with MPI in it twice. `ret_run` gets the critical path of the
 * run as it was, and all have theirs; NULL: no paths are requested. Returns 0, or -EIO with one line in
 * `error`. */
int what_if_compute(struct trace *trace, struct what_if *all, size_t count, struct what_if *ret_run,
                    double *ret_wall_ticks, char error[TRACE_ERROR_BYTES]);

#endif
