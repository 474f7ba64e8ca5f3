#include "tables/tables.h"

#include <errno.h>

#include <stave/names.h>

#include "tables/tabulate.h"

/* -- what the replay reports -- */

static void on_slice(void *data, const struct replay_slice *slice) {
  tabulate_slice(data, slice);
}

static void on_interval(void *data, const struct replay_interval *interval) {
  tabulate_path_interval(data, interval);
}

static void on_team(void *data, const struct replay_team_event *step) {
  tabulate_team(data, step);
  tabulate_implicit_task(data, step);
  tabulate_team_step(data, step);
}

static void on_lock(void *data, const struct replay_lock_event *step) {
  tabulate_lock_step(data, step);
}

static void on_link(void *data, const struct replay_link *link) {
  tabulate_path_link(data, link);
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  tabulate_dependence(data, source, sink, address);
}

static void on_task(void *data, const struct replay_task_event *step) {
  tabulate_task(data, step);
  tabulate_task_step(data, step);
}

static bool on_event(void *data, const struct trace_event *event) {
  struct tabulator *tabulator = data;
  tabulator->events++;
  tabulate_regions_before(tabulator, event);
  if (event->kind == TRACE_Enter)
    tabulate_enter(tabulator, event);
  else
    replay_process(tabulator->replay, event);
  tabulate_regions_after(tabulator, event);
  mpi_process(tabulator->mpi, event);
  tabulate_path_event(tabulator, event);
  return tabulator->writer->error == 0;
}

/* -- the run -- */

static void write_run(struct tabulator *tabulator, const char *archive, const char *incomplete) {
  const struct trace *trace = tabulator->trace;
  uint64_t length = trace->clock.length_ticks;
  ROW(runs);
  runs[COLUMN_runs_id] = tabulate_run(tabulator);
  runs[COLUMN_runs_archive] = cell_text(archive);
  runs[COLUMN_runs_program] = cell_text(trace_archive_property(trace, STAVE_PROPERTY_PROGRAM));
  if (length)
    runs[COLUMN_runs_wall_ns] = cell_number(trace_span_ns(trace, length));
  if (trace->clock.realtime_ns != UINT64_MAX)
    runs[COLUMN_runs_started_unix_ns] = cell_number(trace->clock.realtime_ns);
  runs[COLUMN_runs_events] = cell_number(tabulator->events);
  runs[COLUMN_runs_lost_events] = cell_number(trace_lost_events(trace));
  runs[COLUMN_runs_incomplete] = cell_text(incomplete);
  row_write(tabulator->writer, TABLE_runs, runs);
  if (incomplete)
    tabulate_property(tabulator, "incomplete", incomplete);
}

static int read_all(struct tabulator *tabulator, const char *archive, char error[TRACE_ERROR_BYTES]) {
  tabulate_definitions(tabulator);
  int result = trace_read_in_order(tabulator->trace, 0, UINT64_MAX, on_event, tabulator, error);
  tabulator->event = NULL;
  tabulate_initial_tasks(tabulator);
  replay_finish(tabulator->replay);
  tabulate_regions_finish(tabulator);
  tabulate_tasks_finish(tabulator);
  tabulate_locks_finish(tabulator);
  tabulate_operations_finish(tabulator);
  tabulate_states_finish(tabulator);
  mpi_finish(tabulator->mpi);
  tabulate_path_finish(tabulator);
  write_run(tabulator, archive, result < 0 ? error : NULL);
  return result < 0 && tabulator->events == 0 ? -EIO : result < 0;
}

int tables_write(struct trace *trace, const char *archive, struct row_writer *writer,
                 char error[TRACE_ERROR_BYTES]) {
  struct tabulator tabulator = {.trace = trace, .writer = writer};
  const struct replay_observer observer = {.slice = on_slice,
                                           .interval = on_interval,
                                           .task = on_task,
                                           .lock = on_lock,
                                           .team = on_team,
                                           .link = writer->is_requested[TABLE_critical_path] ? on_link : NULL,
                                           .dependence = on_dependence,
                                           .with_complete_sources = true};
  tabulator.replay = replay_create(trace, &observer, &tabulator, 0, UINT64_MAX);
  tabulate_regions_open(&tabulator);
  tabulate_messages_open(&tabulator);
  tabulate_path_open(&tabulator);
  int result = read_all(&tabulator, archive, error);
  tabulate_path_close(&tabulator);
  tabulate_locks_close(&tabulator);
  tabulate_operations_close(&tabulator);
  tabulate_regions_close(&tabulator);
  mpi_free(tabulator.mpi);
  replay_free(tabulator.replay);
  pair_map_free(&tabulator.calls);
  return result;
}
