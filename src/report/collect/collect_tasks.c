/* Tasks by their construct, and the paths through the graph of tasks. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/collect.h"

enum { VARIABLES_MAX = 1 << 18 };

/* Much of what is between two tasks is no cost of theirs, but waiting for one to be ready. */
#define DISPATCH_QUANTILE 0.01

/* -- live tasks -- */

static void release_group(struct collector *collector, struct group *group) {
  while (group && --group->references == 0) {
    struct group *outer = group->outer;
    path_clear(&collector->paths, &group->finished);
    free(group);
    group = outer;
  }
}

static void clear_live_task(struct collector *collector, struct live_task *live_task) {
  ready_remove(collector, live_task);
  path_clear(&collector->paths, &live_task->path);
  path_clear(&collector->paths, &live_task->children);
  release_group(collector, live_task->group);
  while (live_task->sinks) {
    struct edge *edge = live_task->sinks;
    live_task->sinks = edge->next;
    free(edge);
  }
  while (live_task->dependences) {
    struct dependence *dependence = live_task->dependences;
    live_task->dependences = dependence->next;
    free(dependence);
  }
  *live_task = (struct live_task){.construct = REPLAY_NONE};
}

static void grow_live_tasks(struct collector *collector, uint32_t slot) {
  size_t before = collector->live_task_capacity;
  array_reserve(&collector->live_tasks, &collector->live_task_capacity, (size_t)slot + 1,
                sizeof *collector->live_tasks);
  for (size_t i = before; i < collector->live_task_capacity; i++)
    collector->live_tasks[i] = (struct live_task){.construct = REPLAY_NONE};
}

struct live_task *live_task_new(struct collector *collector, const struct replay_task *task) {
  if (task->slot >= collector->live_task_capacity)
    grow_live_tasks(collector, task->slot);
  struct live_task *live_task = &collector->live_tasks[task->slot];
  if (live_task->id != task->id) {
    clear_live_task(collector, live_task);
    live_task->id = task->id;
  }
  return live_task;
}

struct live_task *live_task_at(struct collector *collector, uint32_t slot, uint64_t id) {
  struct live_task *live_task =
      id && slot < collector->live_task_capacity ? &collector->live_tasks[slot] : NULL;
  return live_task && live_task->id == id ? live_task : NULL;
}

/* -- creation -- */

static struct report_task *detail_of(struct collector *collector, uint32_t region) {
  if (region == REPLAY_NONE)
    return NULL;
  bool is_new = !collector->report->regions[region].task;
  struct report_task *detail = collector_task(collector, region);
  if (detail && is_new)
    detail->task_region = REPLAY_NONE;
  return detail;
}

static void name_task(struct collector *collector, struct live_task *live_task,
                      const struct replay_task *task) {
  if (collector->source_attribute == TRACE_NO_REF)
    return;
  live_task->location = collector->trace->locations[task->created_on].ref;
  live_task->generation = task->generation;
  pair_map_put(&collector->named_tasks, live_task->location, task->generation,
               (void *)((uintptr_t)task->slot + 1));
}

static void created(struct collector *collector, const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  live_task_of(collector, event->other);
  struct live_task *live_task = live_task_of(collector, task);
  struct live_task *creator = &collector->live_tasks[event->other->slot]; /* the table may have moved */
  live_task->creator = task->creator;
  live_task->creator_slot = event->other->slot;
  live_task->construct = task->create_region;
  live_task->group = creator->group;
  if (live_task->group)
    live_task->group->references++;
  path_join(&collector->paths, &live_task->path, &creator->path);
  name_task(collector, live_task, task);
  const struct replay_team *team = replay_current_team(collector->replay, event->location);
  if (team)
    ready_create(collector, team, collector_parallel(collector, team->region), live_task, !task->is_taskwait);
  if (team && team->slot < collector->live_team_capacity)
    collector->live_teams[team->slot].tasks++;
  if (team && team->slot < collector->live_team_capacity)
    taskwaits_created(collector, creator, &collector->live_teams[team->slot], team->region);
  struct report_task *detail = detail_of(collector, task->create_region);
  if (!detail)
    return;
  creations_measure(collector, event, detail);
  if (!collector_is_inside(collector, event->ticks))
    return;
  if (team)
    creations_count(collector, team->region, task);
  detail->created++;
  detail->by_tasks += !event->other->is_implicit;
  detail->taskwaits += task->is_taskwait;
  collector->report->tasks_created++;
}

/* -- running -- */

/* Who creates a task and goes on with it immediately, without waiting for anything, must wait for it: if(0),
 * final, or a full queue. */
static bool is_included(const struct replay_task_event *event) {
  const struct replay_task *creator = event->other;
  if (!creator || event->task->creator != creator->id || event->task->created_on != event->location)
    return false;
  return creator->frame_count == 0 ||
         activity_is_useful((enum activity)creator->frames[creator->frame_count - 1].activity);
}

/* From the end of one task to the begin of the next on the same thread: Complete, the switch back, the
 * switch. If no task could begin at that end, this is waiting. */
static void measure_dispatch(struct collector *collector, const struct replay_task_event *event) {
  const struct report_location *here = &collector->locations[event->location];
  if (event->event && here->completed_number && event->event->number - here->completed_number <= 2 &&
      collector_is_inside(collector, event->ticks))
    histogram_add(collector->dispatch_histogram, event->ticks - here->completed_ticks);
}

static void started(struct collector *collector, const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  struct live_task *live_task = live_task_of(collector, task);
  struct report_task *detail = live_task ? detail_of(collector, live_task->construct) : NULL;
  measure_dispatch(collector, event);
  if (live_task) {
    ready_remove(collector, live_task);
    live_task->has_started = true;
  }
  if (!detail)
    return;
  live_task->is_included = is_included(event);
  if (!collector_is_inside(collector, event->ticks))
    return;
  detail->included += live_task->is_included;
  detail->stolen += task->created_on != task->started_on;
  if (!live_task->is_included && task->is_created)
    spread_add(&detail->delay, task->start_ticks - task->created_ticks);
}

/* -- completion -- */

static void count_completed(struct collector *collector, const struct replay_task *task,
                            const struct live_task *live_task) {
  uint32_t construct = live_task->construct != REPLAY_NONE ? live_task->construct : task->region;
  struct report_task *detail = detail_of(collector, construct);
  if (!detail)
    return;
  detail->migrations += task->migrations;
  if (!task->has_started) {
    detail->cancelled += !task->is_taskwait;
    return;
  }
  detail->executed++;
  uint64_t apart = live_task->stalled + live_task->waited;
  spread_add(&detail->run, task->run_ticks > apart ? task->run_ticks - apart : 0);
  if (task->region == REPLAY_NONE)
    return;
  detail->task_region = task->region;
  detail->untied += replay_construct(collector->replay, task->region) == CONSTRUCT_task_untied;
}

static void forget_variables(struct collector *collector) {
  for (size_t i = 0; i < collector->variables.capacity; i++) {
    struct variable_paths *variable = collector->variables.entries[i].value;
    if (!variable)
      continue;
    path_clear(&collector->paths, &variable->written);
    path_clear(&collector->paths, &variable->read);
    free(variable);
  }
  pair_map_free(&collector->variables);
}

/* A variable means something among the children of one task. */
static struct variable_paths *variable_of(struct collector *collector, uint64_t parent, uint64_t address) {
  struct variable_paths *variable = pair_map_get(&collector->variables, parent, address);
  if (variable)
    return variable;
  if (collector->variables.count >= VARIABLES_MAX)
    forget_variables(collector);
  variable = memory_get(1, sizeof *variable);
  pair_map_put(&collector->variables, parent, address, variable);
  return variable;
}

static void extend_variable(struct collector *collector, const struct live_task *live_task,
                            const struct dependence *dependence) {
  struct variable_paths *variable = variable_of(collector, live_task->creator, dependence->address);
  path_join(&collector->paths, dependence->is_out ? &variable->written : &variable->read, &live_task->path);
}

/* All who wait for the task cannot go on earlier than it ended. */
static void extend_waiters(struct collector *collector, const struct replay_task_event *event,
                           struct live_task *live_task) {
  struct live_task *creator = live_task_at(collector, live_task->creator_slot, live_task->creator);
  const struct replay_team *team = replay_current_team(collector->replay, event->location);
  if (creator)
    path_join(&collector->paths, &creator->children, &live_task->path);
  if (creator && (live_task->is_included || event->task->is_taskwait))
    path_join(&collector->paths, &creator->path, &live_task->path);
  if (live_task->group)
    path_join(&collector->paths, &live_task->group->finished, &live_task->path);
  if (team && team->slot < collector->live_team_capacity) {
    path_join(&collector->paths, &collector->live_teams[team->slot].finished, &live_task->path);
    collector->live_teams[team->slot].task_end_ticks = event->ticks;
    collector->live_teams[team->slot].ended++;
  }
  for (const struct edge *edge = live_task->sinks; edge; edge = edge->next) {
    struct live_task *sink = live_task_at(collector, edge->sink_slot, edge->sink);
    if (!sink)
      continue;
    path_join(&collector->paths, &sink->path, &live_task->path);
    ready_satisfied(collector, sink);
  }
  for (const struct dependence *dependence = live_task->dependences; dependence;
       dependence = dependence->next)
    extend_variable(collector, live_task, dependence);
}

static void completed(struct collector *collector, const struct replay_task_event *event) {
  struct live_task *live_task = live_task_of(collector, event->task);
  struct report_location *here = &collector->locations[event->location];
  if (collector_is_inside(collector, event->ticks))
    count_completed(collector, event->task, live_task);
  here->completed_ticks = event->ticks;
  ready_remove(collector, live_task);
  const struct replay_team *team = replay_current_team(collector->replay, event->location);
  bool could_begin =
      team && team->slot < collector->live_team_capacity && collector->live_teams[team->slot].ready.tasks > 0;
  here->completed_number = event->event && could_begin ? event->event->number : 0;
  extend_waiters(collector, event, live_task);
  path_join(&collector->paths, &collector->processes[live_task->process].longest, &live_task->path);
  if (event->task->is_created)
    pair_map_remove(&collector->named_tasks, live_task->location, live_task->generation);
  clear_live_task(collector, live_task);
}

void tasks_on_event(void *data, const struct replay_task_event *event) {
  switch (event->step) {
  case REPLAY_TASK_CREATED:
    created(data, event);
    return;
  case REPLAY_TASK_STARTED:
    started(data, event);
    return;
  case REPLAY_TASK_COMPLETED:
    completed(data, event);
    return;
  case REPLAY_TASK_SUSPENDED:
  case REPLAY_TASK_RESUMED:
    return;
  }
}

/* -- regions that wait for tasks, and dependences -- */

static void open_group(struct live_task *live_task) {
  struct group *group = memory_get(1, sizeof *group);
  *group = (struct group){.outer = live_task->group, .references = 1};
  live_task->group = group;
}

static void close_group(struct collector *collector, struct live_task *live_task) {
  struct group *group = live_task->group;
  if (!group)
    return;
  path_join(&collector->paths, &live_task->path, &group->finished);
  live_task->group = group->outer;
  if (group->outer)
    group->outer->references++;
  release_group(collector, group);
}

static struct live_task *live_task_named(struct collector *collector, uint64_t name) {
  uintptr_t slot = (uintptr_t)pair_map_get(&collector->named_tasks, name >> 32, name & UINT32_MAX);
  return slot ? &collector->live_tasks[slot - 1] : NULL;
}

static void add_edge(struct collector *collector, struct live_task *from, struct live_task *to) {
  if (!from || !to || from == to)
    return;
  struct edge *edge = memory_get(1, sizeof *edge);
  *edge =
      (struct edge){.next = from->sinks, .sink = to->id, .sink_slot = (uint32_t)(to - collector->live_tasks)};
  from->sinks = edge;
  ready_wait_for(collector, to);
}

static void add_reported_edge(struct collector *collector, const struct trace_event *event) {
  uint64_t source, sink;
  if (collector_attribute(event, collector->source_attribute, &source) &&
      collector_attribute(event, collector->sink_attribute, &sink))
    add_edge(collector, live_task_named(collector, source), live_task_named(collector, sink));
}

void tasks_on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                         uint64_t address) {
  (void)address;
  add_edge(data, live_task_at(data, source.slot, source.id), live_task_at(data, sink.slot, sink.id));
}

void tasks_prepare(struct collector *collector) {
  collector->dispatch_histogram = histogram_new();
}

static bool is_read_only(enum construct construct) {
  return construct == CONSTRUCT_depend_in;
}

/* A dependence of the task that the thread created last. Who came before and is complete is remembered by the
 * variable.
 * */
static void add_dependence(struct collector *collector, const struct trace_event *event,
                           enum construct construct) {
  struct report_location *here = &collector->locations[event->location];
  struct live_task *live_task = live_task_at(collector, here->created_slot, here->created_id);
  uint64_t address;
  here->created_points++;
  if (!live_task || !collector_attribute(event, collector->address_attribute, &address))
    return;
  struct report_task *detail = detail_of(collector, live_task->construct);
  if (detail && collector_is_inside(collector, event->ticks))
    detail->dependences++;
  struct dependence *dependence = memory_get(1, sizeof *dependence);
  *dependence = (struct dependence){live_task->dependences, address, !is_read_only(construct)};
  live_task->dependences = dependence;
  const struct variable_paths *variable = pair_map_get(&collector->variables, live_task->creator, address);
  if (!variable)
    return;
  path_join(&collector->paths, &live_task->path, &variable->written);
  if (dependence->is_out)
    path_join(&collector->paths, &live_task->path, &variable->read);
}

void tasks_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now) {
  enum construct construct = (enum construct)collector->interests[region].construct;
  bool is_waiting = construct_class(construct) == CONSTRUCT_CLASS_task_sync;
  struct live_task *live_task = is_waiting ? live_task_of(collector, now->task) : NULL;
  if (live_task)
    taskwaits_before_enter(collector, event, region, live_task);
  if (live_task && construct == CONSTRUCT_taskgroup)
    open_group(live_task);
  else if (construct == CONSTRUCT_task_dependence)
    add_reported_edge(collector, event);
  else if (collector->interests[region].is_depend)
    add_dependence(collector, event, construct);
}

void tasks_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now) {
  enum construct construct = (enum construct)collector->interests[region].construct;
  if (construct_class(construct) != CONSTRUCT_CLASS_task_sync)
    return;
  struct live_task *live_task = live_task_of(collector, now->task);
  if (live_task)
    taskwaits_before_leave(collector, event, region, live_task);
  if (live_task && construct == CONSTRUCT_taskgroup)
    close_group(collector, live_task);
  else if (live_task && construct == CONSTRUCT_taskwait)
    path_join(&collector->paths, &live_task->path, &live_task->children);
}

/* -- the end -- */

void tasks_end_paths(struct collector *collector) {
  for (size_t i = 0; i < collector->live_task_capacity; i++) {
    const struct live_task *live_task = &collector->live_tasks[i];
    path_join(&collector->paths, &collector->processes[live_task->process].longest, &live_task->path);
  }
}

void tasks_finish(struct collector *collector) {
  struct report *report = collector->report;
  tasks_end_paths(collector);
  for (size_t i = 0; i < collector->live_task_capacity; i++)
    report->tasks_live += collector->live_tasks[i].id && collector->live_tasks[i].creator;
  report->dispatch_cost = histogram_quantile(collector->dispatch_histogram, DISPATCH_QUANTILE);
  for (size_t i = 0; i < collector->trace->region_count; i++) {
    if (report->regions[i].task)
      creations_finish(report, report->regions[i].task);
  }
}

void tasks_free(struct collector *collector) {
  for (size_t i = 0; i < collector->live_task_capacity; i++)
    clear_live_task(collector, &collector->live_tasks[i]);
  forget_variables(collector);
  pair_map_free(&collector->named_tasks);
  free(collector->live_tasks);
}
