/* The critical path: what the end of the run waited for, back to its beginning. While events go by it is kept
 * which links of the replay were waited for; the path goes back along the location that worked last, at each
 * link over to that other one. Runs that are compared have one each. Times are in ticks. */
#ifndef STAVE_REPLAY_CRITICAL_PATH_H
#define STAVE_REPLAY_CRITICAL_PATH_H

#include "replay/replay.h"
#include "trace/sides.h"

/* `to` went on because of what happened at `from`, which is earlier. */
struct critical_link {
  struct replay_moment from, to;
  uint64_t waited; /* until `to` */
  enum replay_link_kind cause;
};

/* A part of the path: on one location. */
struct critical_segment {
  size_t location;
  uint64_t begin, end;
  enum replay_link_kind cause; /* why it begins; REPLAY_LINK_NONE: the path does */
};

struct critical_row;

struct critical_path {
  struct critical_link *links;
  size_t link_count, link_capacity, limit;
  uint64_t shortest; /* shorter waits are not followed */
  uint64_t from, to;
  struct critical_segment *segments; /* after critical_path_finish, run by run, in the order of time */
  size_t count, capacity;
  struct {
    uint64_t first; /* when the run begins; UINT64_MAX: not yet */
    size_t count;   /* of its segments */
  } runs[SIDES_MAX];
  size_t run_count;          /* 1 where nothing is compared */
  struct critical_row *rows; /* as the trace's locations */
  size_t row_count;
};

void critical_path_begin(struct critical_path *ret, const struct trace *trace, size_t limit, uint64_t from,
                         uint64_t to);

/* For the observers of the replay and of MPI's. */
void critical_path_interval(struct critical_path *path, const struct replay_interval *interval);
void critical_path_link(struct critical_path *path, const struct replay_link *link);

/* Handles an event. */
void critical_path_event(struct critical_path *path, const struct trace_event *event);

/* Walks back from the end. */
void critical_path_finish(struct critical_path *path);

/* Frees what it owns. */
void critical_path_free(struct critical_path *path);

#endif
