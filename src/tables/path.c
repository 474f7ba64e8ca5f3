/* The critical path, found as the timeline's pages find it. */
#include <stdlib.h>

#include "tables/tabulate.h"
#include "timeline/tables/critical_path.h"

enum { LINKS_MAX = 1 << 18 };

struct path_finder {
  struct critical_path path;
  struct dependence_table dependences;
};

bool tabulate_path_open(struct tabulator *tabulator) {
  if (!tabulator->writer->is_wanted[TABLE_critical_path])
    return true;
  tabulator->path = calloc(1, sizeof *tabulator->path);
  return tabulator->path &&
         dependence_table_begin(&tabulator->path->dependences, tabulator->trace, LINKS_MAX, 0, UINT64_MAX) &&
         critical_path_begin(&tabulator->path->path, tabulator->trace, LINKS_MAX, 0, UINT64_MAX);
}

void tabulate_path_interval(struct tabulator *tabulator, const struct replay_interval *interval) {
  if (tabulator->path)
    critical_path_interval(&tabulator->path->path, interval);
}

void tabulate_path_task(struct tabulator *tabulator, const struct replay_task_event *step) {
  if (!tabulator->path)
    return;
  critical_path_task(&tabulator->path->path, &tabulator->path->dependences, step);
  dependence_table_update(&tabulator->path->dependences, step);
}

void tabulate_path_lock(struct tabulator *tabulator, const struct replay_lock_event *step) {
  if (tabulator->path)
    critical_path_lock(&tabulator->path->path, step);
}

void tabulate_path_team(struct tabulator *tabulator, const struct replay_team_event *step) {
  if (tabulator->path)
    critical_path_team(&tabulator->path->path, step);
}

void tabulate_path_barrier(struct tabulator *tabulator, const struct replay_barrier_event *step) {
  if (tabulator->path)
    critical_path_barrier(&tabulator->path->path, step);
}

void tabulate_path_message(struct tabulator *tabulator, const struct mpi_message *message) {
  if (tabulator->path)
    critical_path_message(&tabulator->path->path, message);
}

void tabulate_path_operation(struct tabulator *tabulator, const struct mpi_operation *operation) {
  if (tabulator->path)
    critical_path_operation(&tabulator->path->path, operation);
}

void tabulate_path_event(struct tabulator *tabulator, const struct trace_event *event, bool was_waiting) {
  if (!tabulator->path)
    return;
  const struct replay_frame *frame =
      event->kind == TRACE_Enter ? replay_top_frame(tabulator->replay, event->location) : NULL;
  if (frame)
    dependence_table_enter(&tabulator->path->dependences, tabulator->trace, event,
                           (enum construct)frame->construct);
  critical_path_event(&tabulator->path->path, tabulator->replay, event, was_waiting);
}

static const char *cause_name(enum critical_cause cause) {
  static const char *const names[] = {[CRITICAL_BEGIN] = "begin",
                                      [CRITICAL_BARRIER] = "barrier",
                                      [CRITICAL_LOCK] = "lock",
                                      [CRITICAL_CREATION] = "task creation",
                                      [CRITICAL_DEPENDENCE] = "dependence",
                                      [CRITICAL_TASKS] = "tasks",
                                      [CRITICAL_FORK] = "fork",
                                      [CRITICAL_MESSAGE] = "message",
                                      [CRITICAL_COLLECTIVE] = "collective"};
  return names[cause];
}

static void write_segment(struct tabulator *tabulator, size_t step, const struct critical_segment *segment) {
  ROW(critical_path);
  critical_path[COLUMN_critical_path_run] = tabulate_run(tabulator);
  critical_path[COLUMN_critical_path_step] = cell_number(step);
  critical_path[COLUMN_critical_path_thread] = tabulate_id(tabulator, TABLE_threads, segment->location);
  critical_path[COLUMN_critical_path_cause] = cell_text(cause_name(segment->cause));
  critical_path[COLUMN_critical_path_begin_ns] = tabulate_ns(tabulator, segment->begin);
  critical_path[COLUMN_critical_path_end_ns] = tabulate_ns(tabulator, segment->end);
  row_write(tabulator->writer, TABLE_critical_path, critical_path);
}

void tabulate_path_finish(struct tabulator *tabulator) {
  if (!tabulator->path)
    return;
  struct critical_path *path = &tabulator->path->path;
  dependence_table_finish(&tabulator->path->dependences);
  critical_path_finish(path);
  tabulator->is_out_of_memory |= path->is_out_of_memory || tabulator->path->dependences.is_out_of_memory;
  for (size_t i = 0; i < path->count; i++)
    write_segment(tabulator, i + 1, &path->segments[i]);
}

void tabulate_path_close(struct tabulator *tabulator) {
  if (!tabulator->path)
    return;
  critical_path_free(&tabulator->path->path);
  dependence_table_free(&tabulator->path->dependences);
  free(tabulator->path);
}
