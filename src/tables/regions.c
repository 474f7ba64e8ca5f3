/* Regions from their begin to their end, whatever their task does in between; and what has no length. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "export/values.h"
#include "tables/tabulate.h"

/* -- time in regions themselves -- */

/* Until now it was the innermost region of the running task that had the thread. */
static void charge(struct tabulator *tabulator, const struct trace_event *event) {
  struct tabulate_place *place = &tabulator->places[event->location];
  if (event->ticks <= place->charged_ticks)
    return;
  struct entered *inner = tabulate_top(tabulator, replay_current_task(tabulator->replay, event->location));
  if (inner)
    inner->self_ticks += event->ticks - place->charged_ticks;
  place->charged_ticks = event->ticks;
}

/* -- rows -- */

static bool is_point(const struct entered *entered, enum construct construct) {
  enum construct_class class = construct_class(construct);
  return entered->is_message || class == CONSTRUCT_CLASS_depend || class == CONSTRUCT_CLASS_doacross ||
         construct == CONSTRUCT_cancel || construct == CONSTRUCT_error || construct == CONSTRUCT_flush ||
         construct == CONSTRUCT_fulfill_event || construct == CONSTRUCT_lost_events ||
         construct == CONSTRUCT_run_state;
}

static void write_point(struct tabulator *tabulator, const struct entered *entered,
                        enum construct construct) {
  ROW(points);
  points[COLUMN_points_run] = tabulate_run(tabulator);
  points[COLUMN_points_thread] = tabulate_id(tabulator, TABLE_threads, entered->location);
  points[COLUMN_points_time_ns] = tabulate_ns(tabulator, entered->begin_ticks);
  const char *kind = construct == CONSTRUCT_run_state ? "run state" : construct_name(construct);
  points[COLUMN_points_kind] = cell_text(entered->is_message ? "message" : *kind ? kind : "lost events");
  points[COLUMN_points_region] = tabulate_name_cell(tabulator, entered->name);
  points[COLUMN_points_text] = cell_text(tabulate_text(&entered->text));
  points[COLUMN_points_parent] = tabulate_id_or_null(tabulator, TABLE_regions, entered->parent);
  points[COLUMN_points_team] = tabulate_id_or_null(tabulator, TABLE_teams, entered->team);
  points[COLUMN_points_task] = tabulate_id_or_null(tabulator, TABLE_tasks, entered->task);
  points[COLUMN_points_args] = cell_text(tabulate_text(&entered->args));
  row_write(tabulator->writer, TABLE_points, points);
}

static void write_region(struct tabulator *tabulator, const struct entered *entered, struct cell end,
                         struct cell self) {
  ROW(regions);
  regions[COLUMN_regions_id] = tabulate_id(tabulator, TABLE_regions, entered->id);
  regions[COLUMN_regions_run] = tabulate_run(tabulator);
  regions[COLUMN_regions_thread] = tabulate_id(tabulator, TABLE_threads, entered->location);
  regions[COLUMN_regions_region] = tabulate_name_cell(tabulator, entered->name);
  regions[COLUMN_regions_begin_ns] = tabulate_ns(tabulator, entered->begin_ticks);
  regions[COLUMN_regions_end_ns] = end;
  regions[COLUMN_regions_self_ns] = self;
  regions[COLUMN_regions_parent] = tabulate_id_or_null(tabulator, TABLE_regions, entered->parent);
  regions[COLUMN_regions_depth] = cell_integer(entered->depth);
  regions[COLUMN_regions_team] = tabulate_id_or_null(tabulator, TABLE_teams, entered->team);
  regions[COLUMN_regions_task] = tabulate_id_or_null(tabulator, TABLE_tasks, entered->task);
  regions[COLUMN_regions_args] = cell_text(tabulate_text(&entered->args));
  row_write(tabulator->writer, TABLE_regions, regions);
}

static bool is_wait(enum activity activity) {
  return activity == ACTIVITY_BARRIER_WAIT || activity == ACTIVITY_TASK_WAIT ||
         activity == ACTIVITY_REDUCTION;
}

static void write_wait(struct tabulator *tabulator, const struct entered *entered, enum activity activity,
                       struct cell end, struct cell self) {
  ROW(waits);
  waits[COLUMN_waits_run] = tabulate_run(tabulator);
  waits[COLUMN_waits_thread] = tabulate_id(tabulator, TABLE_threads, entered->location);
  waits[COLUMN_waits_kind] = cell_text(activity_name(activity));
  waits[COLUMN_waits_region] = tabulate_name_cell(tabulator, entered->name);
  waits[COLUMN_waits_instance] = tabulate_id(tabulator, TABLE_regions, entered->id);
  waits[COLUMN_waits_team] = tabulate_id_or_null(tabulator, TABLE_teams, entered->team);
  waits[COLUMN_waits_task] = tabulate_id_or_null(tabulator, TABLE_tasks, entered->task);
  waits[COLUMN_waits_begin_ns] = tabulate_ns(tabulator, entered->begin_ticks);
  waits[COLUMN_waits_end_ns] = end;
  waits[COLUMN_waits_wait_ns] = self;
  row_write(tabulator->writer, TABLE_waits, waits);
}

static void write_chunk(struct tabulator *tabulator, const struct entered *entered, struct cell end) {
  ROW(chunks);
  chunks[COLUMN_chunks_id] = tabulate_id(tabulator, TABLE_regions, entered->id);
  chunks[COLUMN_chunks_run] = tabulate_run(tabulator);
  chunks[COLUMN_chunks_thread] = tabulate_id(tabulator, TABLE_threads, entered->location);
  chunks[COLUMN_chunks_region] = tabulate_name_cell(tabulator, entered->name);
  chunks[COLUMN_chunks_loop] = tabulate_id_or_null(tabulator, TABLE_regions, entered->parent);
  chunks[COLUMN_chunks_start] = entered->numbers[0];
  chunks[COLUMN_chunks_iterations] = entered->numbers[1];
  chunks[COLUMN_chunks_team] = tabulate_id_or_null(tabulator, TABLE_teams, entered->team);
  chunks[COLUMN_chunks_task] = tabulate_id_or_null(tabulator, TABLE_tasks, entered->task);
  chunks[COLUMN_chunks_begin_ns] = tabulate_ns(tabulator, entered->begin_ticks);
  chunks[COLUMN_chunks_end_ns] = end;
  row_write(tabulator->writer, TABLE_chunks, chunks);
}

static void write_kernel(struct tabulator *tabulator, const struct entered *entered, struct cell end) {
  ROW(kernels);
  kernels[COLUMN_kernels_id] = tabulate_id(tabulator, TABLE_regions, entered->id);
  kernels[COLUMN_kernels_run] = tabulate_run(tabulator);
  kernels[COLUMN_kernels_thread] = tabulate_id(tabulator, TABLE_threads, entered->location);
  kernels[COLUMN_kernels_region] = tabulate_name_cell(tabulator, entered->name);
  kernels[COLUMN_kernels_requested_teams] = entered->numbers[0];
  kernels[COLUMN_kernels_granted_teams] = entered->numbers[1];
  kernels[COLUMN_kernels_begin_ns] = tabulate_ns(tabulator, entered->begin_ticks);
  kernels[COLUMN_kernels_end_ns] = end;
  row_write(tabulator->writer, TABLE_kernels, kernels);
}

/* What regions are besides. */
static void write_meaning(struct tabulator *tabulator, const struct entered *entered,
                          enum construct construct, struct cell end, struct cell self) {
  enum activity activity;
  if (construct_activity(construct, &activity) && is_wait(activity))
    write_wait(tabulator, entered, activity, end, self);
  if (construct_class(construct) == CONSTRUCT_CLASS_dispatch)
    write_chunk(tabulator, entered, end);
  if (construct_class(construct) == CONSTRUCT_CLASS_kernel)
    write_kernel(tabulator, entered, end);
}

static void write_ended(struct tabulator *tabulator, const struct entered *entered, enum construct construct,
                        uint64_t end_ticks, bool has_end) {
  const struct cell null = {CELL_NULL, {0}};
  if (is_point(entered, construct)) {
    write_point(tabulator, entered, construct);
    return;
  }
  struct cell end = has_end ? tabulate_ns(tabulator, end_ticks) : null;
  struct cell self = has_end ? tabulate_span(tabulator, entered->self_ticks) : null;
  write_region(tabulator, entered, end, self);
  write_meaning(tabulator, entered, construct, end, self);
}

/* -- begins -- */

static struct cell number_of(const struct tabulator *tabulator, const struct trace_event *event,
                             const char *attribute) {
  uint64_t value;
  return values_attribute(tabulator->trace, event, attribute, &value) ? cell_number(value)
                                                                      : (struct cell){CELL_NULL, {0}};
}

static void note_numbers(struct tabulator *tabulator, struct entered *entered,
                         const struct trace_event *event, enum construct construct) {
  bool is_chunk = construct_class(construct) == CONSTRUCT_CLASS_dispatch;
  if (!is_chunk && construct_class(construct) != CONSTRUCT_CLASS_kernel)
    return;
  entered->numbers[0] = number_of(tabulator, event, is_chunk ? "chunk start" : "requested teams");
  entered->numbers[1] = number_of(tabulator, event, is_chunk ? "chunk size" : "granted teams");
}

static void note_text(struct tabulator *tabulator, struct entered *entered, const struct trace_event *event) {
  const char *message = tabulate_attribute_text(tabulator, event, "message");
  const char *text = message ? message : tabulate_attribute_text(tabulator, event, "error message");
  entered->is_message = message != NULL;
  if (!text)
    return;
  sink_open_memory(tabulator->json, &entered->text);
  sink_bytes(tabulator->json, text, strlen(text) + 1);
  sink_finish(tabulator->json);
}

static struct entered *push(struct tabulator *tabulator, const struct replay_task *task) {
  struct entered_stack *stack = tabulate_stack(tabulator, task->slot);
  array_reserve_zeroed(&stack->items, &stack->capacity, stack->count + 1, sizeof *stack->items);
  struct entered *entered = &stack->items[stack->count++];
  struct sink_memory args = entered->args, text = entered->text;
  args.count = text.count = 0;
  *entered = (struct entered){.args = args, .text = text};
  return entered;
}

/* `depth`: one more than that of the region around it, on the same team's stacks. The replay's ends at 2^16.
 */
static void enter(struct tabulator *tabulator, const struct trace_event *event, uint64_t parent,
                  uint32_t depth) {
  struct replay_now now = replay_now(tabulator->replay, event->location);
  struct entered *entered = push(tabulator, now.task);
  if (!now.frame)
    return;
  entered->id = ++tabulator->region_count;
  entered->parent = parent;
  entered->name = tabulate_name(tabulator, now.frame->region, event);
  entered->begin_ticks = now.frame->begin_ticks;
  entered->location = event->location;
  entered->depth = now.frame->depth > depth ? now.frame->depth : depth;
  entered->team = now.team ? now.team->id : 0;
  entered->task = tabulate_is_thread(tabulator, event->location) ? now.task->id : 0;
  if (!event->attributes)
    return;
  tabulate_args(tabulator, event, false, &entered->args);
  note_numbers(tabulator, entered, event, (enum construct)now.frame->construct);
  note_text(tabulator, entered, event);
}

/* -- ends -- */

/* How many teams a kernel got is known when it ends. */
static void note_end(struct tabulator *tabulator, struct entered *entered, const struct trace_event *event,
                     enum construct construct) {
  if (construct_class(construct) == CONSTRUCT_CLASS_kernel && entered->numbers[1].kind == CELL_NULL)
    entered->numbers[1] = number_of(tabulator, event, "granted teams");
}

/* What the replay closes because something around it ends has no end of its own. */
static bool has_own_end(struct tabulator *tabulator) {
  uint64_t unclosed = replay_anomalies(tabulator->replay)->unclosed;
  if (!tabulator->event || tabulator->unclosed < unclosed) {
    tabulator->unclosed++;
    return false;
  }
  return true;
}

void tabulate_slice(struct tabulator *tabulator, const struct replay_slice *slice) {
  if (!slice->is_last || slice->task->slot >= tabulator->task_capacity)
    return;
  struct entered_stack *stack = &tabulator->of_task[slice->task->slot];
  if (stack->count == 0)
    return;
  struct entered *entered = &stack->items[--stack->count];
  bool has_end = has_own_end(tabulator);
  const struct trace_event *event = tabulator->event;
  if (has_end && event->kind == TRACE_Leave && event->attributes) {
    tabulate_args(tabulator, event, false, &entered->args);
    note_end(tabulator, entered, event, slice->construct);
  }
  write_ended(tabulator, entered, slice->construct, slice->end_ticks, has_end);
}

/* Of a task that is gone while it was not running, or never ends. */
static void drop_stack(struct tabulator *tabulator, struct entered_stack *stack) {
  while (stack->count > 0) {
    const struct entered *entered = &stack->items[--stack->count];
    uint32_t region = entered->name >= 0 && (uint64_t)entered->name < tabulator->trace->region_count
                          ? (uint32_t)entered->name
                          : REPLAY_NONE;
    write_ended(tabulator, entered, replay_construct(tabulator->replay, region), 0, false);
  }
}

static void drop_task(struct tabulator *tabulator, const struct replay_task *task) {
  if (task->slot < tabulator->task_capacity)
    drop_stack(tabulator, &tabulator->of_task[task->slot]);
}

void tabulate_regions_finish(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->task_capacity; i++)
    drop_stack(tabulator, &tabulator->of_task[i]);
}

/* -- events that are no regions -- */

static bool is_reported_elsewhere(enum trace_kind kind) {
  switch ((int)kind) {
  case TRACE_Enter:
  case TRACE_Leave:
  case TRACE_ThreadFork:
  case TRACE_ThreadJoin:
  case TRACE_ThreadTeamBegin:
  case TRACE_ThreadTeamEnd:
  case TRACE_OmpFork:
  case TRACE_OmpJoin:
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
  case TRACE_OmpTaskCreate:
  case TRACE_OmpTaskSwitch:
  case TRACE_OmpTaskComplete:
  case TRACE_ThreadAcquireLock:
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpAcquireLock:
  case TRACE_OmpReleaseLock:
  case TRACE_MpiSend:
  case TRACE_MpiIsend:
  case TRACE_MpiIsendComplete:
  case TRACE_MpiIrecvRequest:
  case TRACE_MpiRecv:
  case TRACE_MpiIrecv:
    return true;
  default:
    return false;
  }
}

/* Locks have columns for their events' attributes. */
static bool has_more(const struct trace_event *event) {
  switch ((int)event->kind) {
  case TRACE_Enter:
  case TRACE_Leave:
  case TRACE_ThreadAcquireLock:
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpAcquireLock:
  case TRACE_OmpReleaseLock:
    return false;
  default:
    return event->attributes && trace_event_attribute_count(event) > 0;
  }
}

static void write_event(struct tabulator *tabulator, const struct trace_event *event) {
  struct replay_now now = replay_now(tabulator->replay, event->location);
  tabulator->made.count = 0;
  tabulate_args(tabulator, event, true, &tabulator->made);
  ROW(points);
  points[COLUMN_points_run] = tabulate_run(tabulator);
  points[COLUMN_points_thread] = tabulate_id(tabulator, TABLE_threads, event->location);
  points[COLUMN_points_time_ns] = tabulate_ns(tabulator, event->ticks);
  points[COLUMN_points_kind] = cell_text(trace_kind_name(event->kind));
  points[COLUMN_points_parent] =
      tabulate_id_or_null(tabulator, TABLE_regions, tabulate_around(tabulator, event->location));
  points[COLUMN_points_team] = tabulate_id_or_null(tabulator, TABLE_teams, now.team ? now.team->id : 0);
  if (tabulate_is_thread(tabulator, event->location))
    points[COLUMN_points_task] = tabulate_id(tabulator, TABLE_tasks, now.task->id);
  points[COLUMN_points_args] = cell_text(tabulate_text(&tabulator->made));
  row_write(tabulator->writer, TABLE_points, points);
}

/* -- teams and tasks -- */

static void note_team(struct tabulator *tabulator, size_t location) {
  struct tabulate_place *place = &tabulator->places[location];
  uint64_t around = tabulate_around(tabulator, location);
  array_reserve(&place->outer, &place->outer_capacity, place->outer_count + 1, sizeof *place->outer);
  place->outer[place->outer_count++] = around;
}

void tabulate_team_step(struct tabulator *tabulator, const struct replay_team_event *step) {
  struct tabulate_place *place = &tabulator->places[step->location];
  if (step->step != REPLAY_TEAM_END)
    return;
  drop_task(tabulator, step->task);
  place->outer_count -= place->outer_count > 0;
}

void tabulate_task_step(struct tabulator *tabulator, const struct replay_task_event *step) {
  if (step->step == REPLAY_TASK_COMPLETED)
    drop_task(tabulator, step->task);
}

/* -- around the replay -- */

static void note_time(struct tabulate_place *place, uint64_t ticks) {
  if (place->events++ == 0)
    place->first_ticks = place->last_ticks = ticks;
  if (ticks > place->last_ticks)
    place->last_ticks = ticks;
}

void tabulate_regions_before(struct tabulator *tabulator, const struct trace_event *event) {
  charge(tabulator, event);
  note_time(&tabulator->places[event->location], event->ticks);
  tabulator->event = event;
  if (event->kind == TRACE_ThreadTeamBegin)
    note_team(tabulator, event->location);
  else if (event->kind == TRACE_ThreadFork || event->kind == TRACE_OmpFork)
    tabulate_fork(tabulator, event);
}

void tabulate_regions_after(struct tabulator *tabulator, const struct trace_event *event) {
  tabulator->unclosed = replay_anomalies(tabulator->replay)->unclosed;
  if (event->kind == TRACE_Metric)
    tabulate_metric(tabulator, event);
  else if (event->kind == TRACE_CallingContextSample)
    tabulate_sample(tabulator, event);
  else if (is_reported_elsewhere(event->kind) ? has_more(event) : !tabulate_operation(tabulator, event))
    write_event(tabulator, event);
}

void tabulate_enter(struct tabulator *tabulator, const struct trace_event *event) {
  uint64_t parent = tabulate_around(tabulator, event->location);
  const struct entered *inner = tabulate_innermost(tabulator, event->location);
  uint32_t depth = inner ? inner->depth + 1 : 0;
  replay_process(tabulator->replay, event);
  enter(tabulator, event, parent, depth);
}

void tabulate_regions_open(struct tabulator *tabulator) {
  tabulator->places = memory_get(tabulator->trace->location_count, sizeof *tabulator->places);
  tabulator->json = memory_get(1, sizeof *tabulator->json);
}

static void free_stack(struct entered_stack *stack) {
  for (size_t i = 0; i < stack->capacity; i++) {
    free(stack->items[i].args.bytes);
    free(stack->items[i].text.bytes);
  }
  free(stack->items);
}

void tabulate_regions_close(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->trace->location_count; i++)
    free(tabulator->places[i].outer);
  for (size_t i = 0; i < tabulator->task_capacity; i++)
    free_stack(&tabulator->of_task[i]);
  free(tabulator->of_task);
  free(tabulator->living);
  free(tabulator->teams);
  free(tabulator->places);
  free(tabulator->json);
  free(tabulator->made.bytes);
}
