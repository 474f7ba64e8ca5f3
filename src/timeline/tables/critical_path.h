/* The critical path: what the end of the run waited for, back to its beginning. While events go by it is kept
 * where a location began again because of what another one had done (links); the path goes back along the
 * location that worked last, at each link over to that other one. Runs that are compared have one each. Times
 * are in ticks. */
#ifndef STAVE_TIMELINE_TABLES_CRITICAL_PATH_H
#define STAVE_TIMELINE_TABLES_CRITICAL_PATH_H

#include "base/pair_map.h"
#include "replay/mpi.h"
#include "replay/replay.h"
#include "timeline/tables/dependence_table.h"
#include "trace/sides.h"

/* What a location waited for (page.def): CRITICAL_BEGIN, nothing: the path begins there; CRITICAL_CREATION,
 * of the task that it runs then; CRITICAL_TASKS, taskwait, the end of a taskgroup. */
enum critical_cause {
#define CAUSE(id, text) CRITICAL_##id,
#include "timeline/tables/page.def"
};

/* `to` went on because of what happened at `from`, which is earlier. */
struct critical_link {
  struct happening from, to;
  uint64_t waited; /* until `to` */
  enum critical_cause cause;
};

/* A part of the path: on one location. */
struct critical_segment {
  size_t location;
  uint64_t begin, end;
  enum critical_cause cause; /* of its begin */
};

struct critical_row;
struct critical_team;
struct critical_task;

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
  size_t run_count;              /* 1 where nothing is compared */
  struct critical_row *rows;     /* as the trace's locations */
  size_t row_count, early_count; /* rows that began a team before its primary */
  struct critical_team *teams;   /* by slot */
  size_t team_count;
  struct critical_task *tasks; /* by slot */
  size_t task_count;
  struct pair_map locks; /* who released it last */
  bool is_out_of_memory;
};

/* Returns false if memory ran out. */
bool critical_path_begin(struct critical_path *ret, const struct trace *trace, size_t limit, uint64_t from,
                         uint64_t to);

/* For the observers of the replay and of MPI's. */
void critical_path_interval(struct critical_path *path, const struct replay_interval *interval);
void critical_path_lock(struct critical_path *path, const struct replay_lock_event *event);
void critical_path_team(struct critical_path *path, const struct replay_team_event *event);
void critical_path_barrier(struct critical_path *path, const struct replay_barrier_event *event);
void critical_path_message(struct critical_path *path, const struct mpi_message *message);
void critical_path_operation(struct critical_path *path, const struct mpi_operation *operation);

/* The same; before `dependences` takes it. */
void critical_path_task(struct critical_path *path, const struct dependence_table *dependences,
                        const struct replay_task_event *event);

/* Takes an event after the replay has; `was_waiting`: whether the running task waited for others before. */
void critical_path_event(struct critical_path *path, const struct replay *replay,
                         const struct trace_event *event, bool was_waiting);

/* Walks back from the end. */
void critical_path_finish(struct critical_path *path);

/* Frees what it owns. */
void critical_path_free(struct critical_path *path);

#endif
