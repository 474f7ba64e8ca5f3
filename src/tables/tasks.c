/* Tasks, written when they are complete, and the pieces in which explicit ones ran. */
#include <string.h>

#include "base/array.h"
#include "tables/tabulate.h"
#include "trace/detail.h"

static const struct cell null = {CELL_NULL, {0}};

static struct living_task *living(struct tabulator *tabulator, uint32_t slot) {
  array_reserve_zeroed(&tabulator->living, &tabulator->living_capacity, (size_t)slot + 1,
                       sizeof *tabulator->living);
  return &tabulator->living[slot];
}

static struct cell thread_cell(const struct tabulator *tabulator, size_t location) {
  return location == SIZE_MAX ? null : tabulate_id(tabulator, TABLE_threads, location);
}

/* -- rows -- */

static const char *kind_of(const struct replay_task *task) {
  if (task->is_implicit)
    return task->comm == REPLAY_NONE && task->region == REPLAY_NONE ? "initial" : "implicit";
  return task->is_taskwait ? "taskwait" : "explicit";
}

/* After the function, the description has the words. */
static const char *flags_of(const struct tabulator *tabulator, const struct replay_task *task) {
  if (task->create_region == REPLAY_NONE ||
      replay_construct(tabulator->replay, task->create_region) != CONSTRUCT_create_task)
    return NULL;
  const struct trace_region *region = &tabulator->trace->regions[task->create_region];
  const char *words = region->description + detail_function_length(region);
  return words + strspn(words, ", ");
}

static void fill_times(const struct tabulator *tabulator, struct cell *row, const struct replay_task *task,
                       uint64_t end_ticks, bool has_end) {
  if (task->is_created)
    row[COLUMN_tasks_create_ns] = tabulate_ns(tabulator, task->created_ticks);
  if (has_end)
    row[COLUMN_tasks_end_ns] = tabulate_ns(tabulator, end_ticks);
  if (!task->has_started)
    return;
  row[COLUMN_tasks_begin_ns] = tabulate_ns(tabulator, task->start_ticks);
  if (task->is_implicit)
    return;
  row[COLUMN_tasks_slices] = cell_number(task->resumptions + UINT64_C(1));
  row[COLUMN_tasks_migrations] = cell_number(task->migrations);
  if (!has_end)
    return;
  uint64_t duration = end_ticks - task->start_ticks;
  row[COLUMN_tasks_run_ns] = tabulate_span(tabulator, task->run_ticks);
  row[COLUMN_tasks_suspended_ns] =
      tabulate_span(tabulator, duration > task->run_ticks ? duration - task->run_ticks : 0);
}

static void write_task(struct tabulator *tabulator, const struct living_task *known, uint64_t end_ticks,
                       bool has_end) {
  const struct replay_task *task = &known->known;
  uint32_t region = task->region != REPLAY_NONE ? task->region : task->create_region;
  ROW(tasks);
  tasks[COLUMN_tasks_id] = tabulate_id(tabulator, TABLE_tasks, task->id);
  tasks[COLUMN_tasks_run] = tabulate_run(tabulator);
  tasks[COLUMN_tasks_kind] = cell_text(kind_of(task));
  tasks[COLUMN_tasks_region] = tabulate_name_cell(tabulator, tabulate_name(tabulator, region, NULL));
  tasks[COLUMN_tasks_flags] = cell_text(flags_of(tabulator, task));
  tasks[COLUMN_tasks_team] = tabulate_id_or_null(tabulator, TABLE_teams, known->team);
  tasks[COLUMN_tasks_parent] = tabulate_id_or_null(tabulator, TABLE_tasks, task->creator);
  tasks[COLUMN_tasks_creator_thread] = thread_cell(tabulator, task->created_on);
  tasks[COLUMN_tasks_thread] = thread_cell(tabulator, task->started_on);
  tasks[COLUMN_tasks_last_thread] = thread_cell(tabulator, task->has_started ? task->location : SIZE_MAX);
  fill_times(tabulator, tasks, task, end_ticks, has_end);
  row_write(tabulator->writer, TABLE_tasks, tasks);
}

static void write_slice(struct tabulator *tabulator, const struct living_task *task, uint64_t ticks,
                        bool has_end) {
  ROW(task_slices);
  task_slices[COLUMN_task_slices_run] = tabulate_run(tabulator);
  task_slices[COLUMN_task_slices_task] = tabulate_id(tabulator, TABLE_tasks, task->id);
  task_slices[COLUMN_task_slices_thread] = thread_cell(tabulator, task->known.location);
  task_slices[COLUMN_task_slices_begin_ns] = tabulate_ns(tabulator, task->piece_ticks);
  if (has_end)
    task_slices[COLUMN_task_slices_end_ns] = tabulate_ns(tabulator, ticks);
  row_write(tabulator->writer, TABLE_task_slices, task_slices);
}

/* -- explicit tasks -- */

static void begin_piece(struct living_task *task, uint64_t ticks) {
  task->piece_ticks = ticks;
  task->is_in_piece = true;
}

static void end_piece(struct tabulator *tabulator, struct living_task *task, uint64_t ticks) {
  if (task->is_in_piece)
    write_slice(tabulator, task, ticks, tabulator->event != NULL);
  task->is_in_piece = false;
}

static void begin_task(struct tabulator *tabulator, struct living_task *task,
                       const struct replay_task_event *step) {
  const struct replay_team *team = replay_current_team(tabulator->replay, step->location);
  *task = (struct living_task){.id = step->task->id, .team = team ? team->id : 0};
}

void tabulate_task(struct tabulator *tabulator, const struct replay_task_event *step) {
  struct living_task *task = living(tabulator, step->task->slot);
  if (!task)
    return;
  if (task->id != step->task->id)
    begin_task(tabulator, task, step);
  task->known = *step->task;
  if (step->step == REPLAY_TASK_STARTED || step->step == REPLAY_TASK_RESUMED)
    begin_piece(task, step->ticks);
  else if (step->step != REPLAY_TASK_CREATED)
    end_piece(tabulator, task, step->ticks);
  if (step->step != REPLAY_TASK_COMPLETED)
    return;
  write_task(tabulator, task, step->ticks, tabulator->event != NULL);
  task->id = 0;
}

/* -- implicit tasks -- */

void tabulate_implicit_task(struct tabulator *tabulator, const struct replay_team_event *step) {
  struct living_task *task = step->task ? living(tabulator, step->task->slot) : NULL;
  if (!task)
    return;
  if (step->step == REPLAY_TEAM_BEGIN)
    *task = (struct living_task){.id = step->task->id, .team = step->team->id, .piece_ticks = step->ticks};
  if (step->step != REPLAY_TEAM_END)
    return;
  task->known = *step->task;
  task->known.start_ticks = task->piece_ticks;
  task->known.creator = step->team->creator;
  task->known.region = step->task->region != REPLAY_NONE ? step->task->region : step->team->region;
  write_task(tabulator, task, step->ticks, tabulator->event != NULL);
  task->id = 0;
}

void tabulate_initial_tasks(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->trace->location_count; i++) {
    const struct tabulate_place *place = &tabulator->places[i];
    if (place->events == 0 || place->outer_count > 0 || !tabulate_is_thread(tabulator, i))
      continue;
    struct living_task task = {.known = *replay_implicit_task(tabulator->replay, i)};
    task.known.start_ticks = place->first_ticks;
    write_task(tabulator, &task, place->last_ticks, true);
  }
}

void tabulate_tasks_finish(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->living_capacity; i++)
    if (tabulator->living[i].id)
      write_task(tabulator, &tabulator->living[i], 0, false);
}
