/* What the parts of the tables share while an archive is read. */
#ifndef STAVE_TABLES_TABULATE_H
#define STAVE_TABLES_TABULATE_H

#include "base/pair_map.h"
#include "export/sink.h"
#include "replay/mpi.h"
#include "replay/replay.h"
#include "tables/rows.h"

/* A region that has been entered. */
struct entered {
  uint64_t id, parent; /* parent 0: none */
  int64_t name;        /* number of region_names; -1: none */
  uint64_t begin_ticks, self_ticks, team, task;
  size_t location;
  uint32_t depth;
  bool is_message;
  struct cell numbers[2]; /* of a chunk: start and iterations; of a kernel: requested and granted teams */
  struct sink_memory args, text;
};

/* The open regions of a task, outermost first: as the replay's frames. */
struct entered_stack {
  struct entered *items;
  size_t count, capacity;
};

/* An explicit task that lives, or an implicit one. */
struct living_task {
  uint64_t id; /* 0: none */
  uint64_t team, piece_ticks;
  int64_t name; /* number of region_names */
  bool is_in_piece;
  struct replay_task known; /* as the replay had it last, without its frames */
};

/* A location. */
struct tabulate_place {
  uint64_t charged_ticks; /* until then time is part of a region's self_ticks */
  uint64_t events, first_ticks, last_ticks;
  uint64_t fork_team, fork_requested; /* of the last fork: the team around it, and the threads requested */
  bool has_fork, has_collective, has_state;
  uint64_t collective_ticks, state_ticks; /* since when */
  int64_t collective_name;                /* number of region_names, of the region that it is in */
  int64_t processor;                      /* with has_state; -1: not known */
  uint8_t state;
  uint64_t *outer; /* of each team that it is in, the region around it */
  size_t outer_count, outer_capacity;
};

/* A team with members. */
struct living_team {
  uint64_t id, parent, requested; /* requested UINT64_MAX: not known */
};

struct tabulator {
  struct trace *trace;
  struct row_writer *writer;
  struct replay *replay;
  struct mpi_replay *mpi;
  struct critical_path *path;      /* NULL: its table is not requested */
  const struct trace_event *event; /* that is processed; NULL: the end */
  struct entered_stack *of_task;   /* by slot */
  size_t task_capacity;
  struct tabulate_place *places; /* as the trace's locations */
  struct living_task *living;    /* by slot */
  size_t living_capacity;
  struct living_team *teams; /* by slot */
  size_t team_capacity;
  struct pair_map calls;        /* names of calls of MPI, by region and site */
  struct pair_map locks, holds; /* by the replay's number: their own; acquisitions */
  struct pair_map operations;   /* in progress */
  struct acquired_lock *free_holds;
  uint64_t lock_count;
  int64_t name_count;            /* of region_names, in this run */
  uint64_t region_count, events; /* entered so far; read */
  uint64_t unclosed;             /* replay's anomaly, as far as it is accounted for */
  struct sink *json;
  struct sink_memory made; /* what json has written */
};

/* -- times -- */

static inline struct cell tabulate_ns(const struct tabulator *tabulator, uint64_t ticks) {
  return cell_number(trace_ns(tabulator->trace, ticks));
}

static inline struct cell tabulate_span(const struct tabulator *tabulator, uint64_t ticks) {
  return cell_number(trace_span_ns(tabulator->trace, ticks));
}

/* -- ids: numbers within the run as those of all runs -- */

static inline struct cell tabulate_id(const struct tabulator *tabulator, enum schema_table table,
                                      uint64_t number) {
  return cell_integer(tabulator->writer->ids.next[table] + (int64_t)number);
}

/* Of the replay's, which count from 1: 0 is NULL. */
static inline struct cell tabulate_id_or_null(const struct tabulator *tabulator, enum schema_table table,
                                              uint64_t number) {
  return number ? tabulate_id(tabulator, table, number) : (struct cell){CELL_NULL, {0}};
}

/* What devices and metrics have is part of no task. */
static inline bool tabulate_is_thread(const struct tabulator *tabulator, size_t location) {
  return trace_location_is_thread(&tabulator->trace->locations[location]);
}

static inline struct cell tabulate_run(const struct tabulator *tabulator) {
  return cell_integer(tabulator->writer->ids.run);
}

/* -- definitions (definitions.c) -- */

/* Writes threads, processes, region_names, properties, counters and the functions of samples. */
void tabulate_definitions(struct tabulator *tabulator);

/* One more property of the archive. */
void tabulate_property(struct tabulator *tabulator, const char *name, const char *value);

/* -- region_names (name_rows.c) -- */

/* Writes all regions; calls follow as they come. */
void tabulate_region_names(struct tabulator *tabulator);

/* The number in region_names of a region that an event enters; -1: none, of REPLAY_NONE. */
int64_t tabulate_name(struct tabulator *tabulator, uint32_t region, const struct trace_event *event);

/* Such a number as a cell. */
static inline struct cell tabulate_name_cell(const struct tabulator *tabulator, int64_t name) {
  return name < 0 ? (struct cell){CELL_NULL, {0}}
                  : tabulate_id(tabulator, TABLE_region_names, (uint64_t)name);
}

/* -- texts (attributes.c) -- */

/* Replaces `ret` by the JSON object of an event's fields and attributes, in addition to what it holds. */
void tabulate_args(struct tabulator *tabulator, const struct trace_event *event, bool with_fields,
                   struct sink_memory *ret);

/* The text that an attribute of this name has; NULL: none. */
const char *tabulate_attribute_text(const struct tabulator *tabulator, const struct trace_event *event,
                                    const char *name);

/* The text in memory; terminated. "" if there is none. */
const char *tabulate_text(const struct sink_memory *memory);

/* -- open regions (open_regions.c) -- */

/* The open regions of the task in a slot of the replay. */
struct entered_stack *tabulate_stack(struct tabulator *tabulator, uint32_t slot);

/* The innermost open region of a task; NULL: none. */
struct entered *tabulate_top(struct tabulator *tabulator, const struct replay_task *task);

/* The innermost region that is open on a location; NULL: none. */
struct entered *tabulate_innermost(struct tabulator *tabulator, size_t location);

/* Its id, else that of the region around the location's innermost team; 0: none. */
uint64_t tabulate_around(struct tabulator *tabulator, size_t location);

/* -- regions (regions.c) -- */

void tabulate_regions_open(struct tabulator *tabulator);
void tabulate_regions_close(struct tabulator *tabulator);

/* Before and after the replay of the event. */
void tabulate_regions_before(struct tabulator *tabulator, const struct trace_event *event);
void tabulate_regions_after(struct tabulator *tabulator, const struct trace_event *event);

/* Gives an Enter to the replay. */
void tabulate_enter(struct tabulator *tabulator, const struct trace_event *event);

void tabulate_slice(struct tabulator *tabulator, const struct replay_slice *slice);
void tabulate_team_step(struct tabulator *tabulator, const struct replay_team_event *step);
void tabulate_task_step(struct tabulator *tabulator, const struct replay_task_event *step);

/* What is still open when the replay is finished. */
void tabulate_regions_finish(struct tabulator *tabulator);

/* -- locks (locks.c) -- */

void tabulate_lock_step(struct tabulator *tabulator, const struct replay_lock_event *step);

/* The id of a lock that has been acquired, by its number in events of a location; else NULL. */
struct cell tabulate_lock(struct tabulator *tabulator, size_t location, uint64_t number);

/* Those that are never released. */
void tabulate_locks_finish(struct tabulator *tabulator);
void tabulate_locks_close(struct tabulator *tabulator);

/* -- counters and run states (counters.c), samples (samples.c) -- */

/* Writes what is defined. */
void tabulate_counters(struct tabulator *tabulator);
void tabulate_sample_frames(struct tabulator *tabulator);

void tabulate_metric(struct tabulator *tabulator, const struct trace_event *event);
void tabulate_sample(struct tabulator *tabulator, const struct trace_event *event);
void tabulate_states_finish(struct tabulator *tabulator);

/* -- operations (operations.c), messages (messages.c), dependences (dependences.c) -- */

/* Tabulates the events of operations. Returns false for others. */
bool tabulate_operation(struct tabulator *tabulator, const struct trace_event *event);
void tabulate_operations_finish(struct tabulator *tabulator);
void tabulate_operations_close(struct tabulator *tabulator);

void tabulate_messages_open(struct tabulator *tabulator);

void tabulate_dependence(struct tabulator *tabulator, struct dependences_task source,
                         struct dependences_task sink, uint64_t address);

/* -- the critical path (path.c): of the replay's links and MPI's -- */

void tabulate_path_open(struct tabulator *tabulator);
void tabulate_path_interval(struct tabulator *tabulator, const struct replay_interval *interval);
void tabulate_path_link(struct tabulator *tabulator, const struct replay_link *link);
void tabulate_path_event(struct tabulator *tabulator, const struct trace_event *event);
void tabulate_path_finish(struct tabulator *tabulator);
void tabulate_path_close(struct tabulator *tabulator);

/* -- tasks and teams (tasks.c, teams.c) -- */

void tabulate_task(struct tabulator *tabulator, const struct replay_task_event *step);
void tabulate_implicit_task(struct tabulator *tabulator, const struct replay_team_event *step);
void tabulate_team(struct tabulator *tabulator, const struct replay_team_event *step);

/* Of a fork, before its replay. */
void tabulate_fork(struct tabulator *tabulator, const struct trace_event *event);

/* The tasks of what is outside of all teams; before the replay is finished. */
void tabulate_initial_tasks(struct tabulator *tabulator);

/* Those that live when the replay is finished. */
void tabulate_tasks_finish(struct tabulator *tabulator);

#endif
