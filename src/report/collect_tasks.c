/* Tasks by their construct, and the paths through the graph of tasks. */
#include <stdlib.h>

#include "analysis/dependences.h"
#include "base/array.h"
#include "report/collect.h"

enum { STEPS = 8, BUCKETS = 64 * STEPS, VARIABLES_MOST = 1 << 18 };

/* Much of what is between two tasks is no cost of theirs: the program's own code, and waiting for a task to
 * be ready.
 * */
#define CREATION_QUANTILE 0.25
#define DISPATCH_QUANTILE 0.01

/* -- histograms -- */

uint32_t *histogram_new(void) {
  return calloc(BUCKETS, sizeof(uint32_t));
}

static unsigned bucket_of(uint64_t ticks) {
  if (ticks < STEPS)
    return (unsigned)ticks;
  unsigned octave = 63 - (unsigned)__builtin_clzll(ticks);
  return octave * STEPS - 3 * STEPS + STEPS + (unsigned)(ticks >> (octave - 3) & (STEPS - 1));
}

static uint64_t bucket_middle(unsigned bucket) {
  if (bucket < STEPS)
    return bucket;
  unsigned octave = (bucket - STEPS) / STEPS + 3;
  uint64_t step = UINT64_C(1) << (octave - 3);
  return (UINT64_C(1) << octave) + (bucket % STEPS) * step + step / 2;
}

void histogram_add(uint32_t *histogram, uint64_t ticks) {
  unsigned bucket = bucket_of(ticks);
  histogram[bucket] += histogram[bucket] < UINT32_MAX;
}

uint64_t histogram_quantile(const uint32_t *histogram, double share) {
  uint64_t count = 0, below = 0;
  for (int i = 0; i < BUCKETS; i++)
    count += histogram[i];
  for (int i = 0; count > 0 && i < BUCKETS; i++) {
    below += histogram[i];
    if ((double)below >= share * (double)count)
      return bucket_middle((unsigned)i);
  }
  return 0;
}

/* -- strands -- */

static void release_group(struct collector *collector, struct group *group) {
  while (group && --group->references == 0) {
    struct group *outer = group->outer;
    path_clear(&collector->paths, &group->finished);
    free(group);
    group = outer;
  }
}

static void clear_strand(struct collector *collector, struct strand *strand) {
  path_clear(&collector->paths, &strand->path);
  path_clear(&collector->paths, &strand->children);
  release_group(collector, strand->group);
  while (strand->sinks) {
    struct edge *edge = strand->sinks;
    strand->sinks = edge->next;
    free(edge);
  }
  while (strand->dependences) {
    struct dependence *dependence = strand->dependences;
    strand->dependences = dependence->next;
    free(dependence);
  }
  *strand = (struct strand){.construct = REPLAY_NONE};
}

static bool grow_strands(struct collector *collector, uint32_t slot) {
  size_t before = collector->strand_capacity;
  if (!array_reserve(&collector->strands, &collector->strand_capacity, (size_t)slot + 1,
                     sizeof *collector->strands)) {
    collector->has_failed = true;
    return false;
  }
  for (size_t i = before; i < collector->strand_capacity; i++)
    collector->strands[i] = (struct strand){.construct = REPLAY_NONE};
  return true;
}

struct strand *tasks_strand(struct collector *collector, const struct replay_task *task) {
  if (task->slot >= collector->strand_capacity && !grow_strands(collector, task->slot))
    return NULL;
  struct strand *strand = &collector->strands[task->slot];
  if (strand->id != task->id) {
    clear_strand(collector, strand);
    strand->id = task->id;
  }
  return strand;
}

struct strand *tasks_live_strand(struct collector *collector, uint32_t slot, uint64_t id) {
  struct strand *strand = id && slot < collector->strand_capacity ? &collector->strands[slot] : NULL;
  return strand && strand->id == id ? strand : NULL;
}

/* -- creation -- */

/* What one creation costs: from it to the next by the same task, if there is nothing between but the create
 * region and the dependences. */
static void measure_creation(struct collector *collector, const struct replay_task_event *event,
                             struct report_task *detail) {
  struct place *place = &collector->places[event->location];
  uint64_t number = event->event->number;
  bool is_next = place->created_by == event->task->creator &&
                 number - place->created_number <= 3 + 2 * (uint64_t)place->created_points;
  if (is_next && collector_is_inside(collector, event->ticks)) {
    if (!detail->creation_histogram)
      detail->creation_histogram = histogram_new();
    collector->has_failed |= !detail->creation_histogram;
    if (detail->creation_histogram)
      histogram_add(detail->creation_histogram, event->ticks - place->created_ticks);
    spread_add(&detail->creation, event->ticks - place->created_ticks);
  }
  place->created_number = number;
  place->created_by = event->task->creator;
  place->created_ticks = event->ticks;
  place->created_id = event->task->id;
  place->created_slot = event->task->slot;
  place->created_points = 0;
}

static struct report_task *detail_of(struct collector *collector, uint32_t region) {
  if (region == REPLAY_NONE)
    return NULL;
  bool is_new = !collector->report->regions[region].task;
  struct report_task *detail = collector_task(collector, region);
  if (detail && is_new)
    detail->task_region = REPLAY_NONE;
  return detail;
}

static void name_task(struct collector *collector, struct strand *strand, const struct replay_task *task) {
  if (collector->source_attribute == TRACE_NO_REF)
    return;
  strand->location = collector->trace->locations[task->created_on].ref;
  strand->generation = task->generation;
  collector->has_failed |= !table_put(&collector->named_tasks, strand->location, task->generation,
                                      (void *)((uintptr_t)task->slot + 1));
}

static void created(struct collector *collector, const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  struct strand *creator = tasks_strand(collector, event->other);
  if (!tasks_strand(collector, task) || !creator)
    return;
  creator = &collector->strands[event->other->slot]; /* the table may have moved */
  struct strand *strand = &collector->strands[task->slot];
  strand->creator = task->creator;
  strand->creator_slot = event->other->slot;
  strand->construct = task->create_region;
  strand->group = creator->group;
  if (strand->group)
    strand->group->references++;
  path_join(&collector->paths, &strand->path, &creator->path);
  name_task(collector, strand, task);
  const struct replay_team *team = replay_current_team(collector->replay, event->location);
  if (team && team->slot < collector->crew_capacity)
    collector->crews[team->slot].tasks++;
  struct report_task *detail = detail_of(collector, task->create_region);
  if (!detail)
    return;
  measure_creation(collector, event, detail);
  if (!collector_is_inside(collector, event->ticks))
    return;
  detail->created++;
  detail->taskwaits += task->is_taskwait;
  collector->report->tasks_created++;
}

/* -- running -- */

/* Who creates a task and goes on with it at once, without waiting for anything, must wait for it: if(0),
 * final, or a full queue. */
static bool is_included(const struct replay_task_event *event) {
  const struct replay_task *creator = event->other;
  if (!creator || event->task->creator != creator->id || event->task->created_on != event->location)
    return false;
  return creator->frame_count == 0 ||
         activity_is_useful((enum activity)creator->frames[creator->frame_count - 1].activity);
}

/* From the end of one task to the begin of the next on the same thread: Complete, the switch back, the
 * switch. */
static void measure_dispatch(struct collector *collector, const struct replay_task_event *event) {
  const struct place *place = &collector->places[event->location];
  if (event->event && place->completed_number && event->event->number - place->completed_number <= 2 &&
      collector_is_inside(collector, event->ticks))
    histogram_add(collector->dispatch_histogram, event->ticks - place->completed_ticks);
}

static void begun(struct collector *collector, const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  struct strand *strand = tasks_strand(collector, task);
  struct report_task *detail = strand ? detail_of(collector, strand->construct) : NULL;
  measure_dispatch(collector, event);
  if (!detail)
    return;
  strand->is_included = is_included(event);
  if (!collector_is_inside(collector, event->ticks))
    return;
  detail->included += strand->is_included;
  detail->stolen += task->created_on != task->begun_on;
  if (!strand->is_included && task->is_created)
    spread_add(&detail->delay, task->begun_ticks - task->created_ticks);
}

/* -- completion -- */

static void count_completed(struct collector *collector, const struct replay_task *task,
                            const struct strand *strand) {
  uint32_t construct = strand->construct != REPLAY_NONE ? strand->construct : task->region;
  struct report_task *detail = detail_of(collector, construct);
  if (!detail)
    return;
  detail->migrations += task->migrations;
  if (!task->has_begun) {
    detail->cancelled += !task->is_taskwait;
    return;
  }
  detail->executed++;
  spread_add(&detail->run, task->run_ticks);
  if (task->region == REPLAY_NONE)
    return;
  detail->task_region = task->region;
  detail->untied += replay_construct(collector->replay, task->region) == CONSTRUCT_task_untied;
}

static void forget_variables(struct collector *collector) {
  for (size_t i = 0; i < collector->variables.capacity; i++) {
    struct variable *variable = collector->variables.entries[i].value;
    if (!variable)
      continue;
    path_clear(&collector->paths, &variable->written);
    path_clear(&collector->paths, &variable->read);
    free(variable);
  }
  table_free(&collector->variables);
}

/* A variable means something among the children of one task. */
static struct variable *variable_of(struct collector *collector, uint64_t parent, uint64_t address) {
  struct variable *variable = table_get(&collector->variables, parent, address);
  if (variable)
    return variable;
  if (collector->variables.count >= VARIABLES_MOST)
    forget_variables(collector);
  variable = collector_get(collector, sizeof *variable);
  if (variable && !table_put(&collector->variables, parent, address, variable)) {
    free(variable);
    collector->has_failed = true;
    return NULL;
  }
  return variable;
}

static void note_variable(struct collector *collector, const struct strand *strand,
                          const struct dependence *dependence) {
  struct variable *variable = variable_of(collector, strand->creator, dependence->address);
  if (!variable)
    return;
  path_join(&collector->paths, dependence->is_out ? &variable->written : &variable->read, &strand->path);
}

/* All who wait for the task cannot go on earlier than it ended. */
static void tell_waiters(struct collector *collector, const struct replay_task_event *event,
                         struct strand *strand) {
  struct strand *creator = tasks_live_strand(collector, strand->creator_slot, strand->creator);
  const struct replay_team *team = replay_current_team(collector->replay, event->location);
  if (creator)
    path_join(&collector->paths, &creator->children, &strand->path);
  if (creator && (strand->is_included || event->task->is_taskwait))
    path_join(&collector->paths, &creator->path, &strand->path);
  if (strand->group)
    path_join(&collector->paths, &strand->group->finished, &strand->path);
  if (team && team->slot < collector->crew_capacity) {
    path_join(&collector->paths, &collector->crews[team->slot].finished, &strand->path);
    collector->crews[team->slot].task_end_ticks = event->ticks;
  }
  for (const struct edge *edge = strand->sinks; edge; edge = edge->next) {
    struct strand *sink = tasks_live_strand(collector, edge->sink_slot, edge->sink);
    if (sink)
      path_join(&collector->paths, &sink->path, &strand->path);
  }
  for (const struct dependence *dependence = strand->dependences; dependence; dependence = dependence->next)
    note_variable(collector, strand, dependence);
}

static void completed(struct collector *collector, const struct replay_task_event *event) {
  struct strand *strand = tasks_strand(collector, event->task);
  struct place *place = &collector->places[event->location];
  if (!strand)
    return;
  if (collector_is_inside(collector, event->ticks))
    count_completed(collector, event->task, strand);
  place->completed_ticks = event->ticks;
  place->completed_number = event->event ? event->event->number : 0;
  tell_waiters(collector, event, strand);
  path_join(&collector->paths, &collector->longest, &strand->path);
  if (event->task->is_created)
    table_remove(&collector->named_tasks, strand->location, strand->generation);
  dependences_forget(collector->dependences, strand->id);
  clear_strand(collector, strand);
}

void tasks_on_event(void *data, const struct replay_task_event *event) {
  switch (event->step) {
  case REPLAY_TASK_CREATED:
    created(data, event);
    return;
  case REPLAY_TASK_BEGUN:
    begun(data, event);
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

static void open_group(struct collector *collector, struct strand *strand) {
  struct group *group = collector_get(collector, sizeof *group);
  if (!group)
    return;
  *group = (struct group){.outer = strand->group, .references = 1};
  strand->group = group;
}

static void close_group(struct collector *collector, struct strand *strand) {
  struct group *group = strand->group;
  if (!group)
    return;
  path_join(&collector->paths, &strand->path, &group->finished);
  strand->group = group->outer;
  if (group->outer)
    group->outer->references++;
  release_group(collector, group);
}

static struct strand *named_strand(struct collector *collector, uint64_t name) {
  uintptr_t slot = (uintptr_t)table_get(&collector->named_tasks, name >> 32, name & UINT32_MAX);
  return slot ? &collector->strands[slot - 1] : NULL;
}

static void add_edge(struct collector *collector, struct strand *from, const struct strand *to) {
  struct edge *edge = from && to && from != to ? collector_get(collector, sizeof *edge) : NULL;
  if (!edge)
    return;
  *edge =
      (struct edge){.next = from->sinks, .sink = to->id, .sink_slot = (uint32_t)(to - collector->strands)};
  from->sinks = edge;
}

static void add_told_edge(struct collector *collector, const struct trace_event *event) {
  uint64_t source, sink;
  if (collector_attribute(event, collector->source_attribute, &source) &&
      collector_attribute(event, collector->sink_attribute, &sink))
    add_edge(collector, named_strand(collector, source), named_strand(collector, sink));
}

static void on_before(void *data, struct dependences_task source, struct dependences_task sink,
                      uint64_t address) {
  (void)address;
  add_edge(data, tasks_live_strand(data, source.slot, source.id),
           tasks_live_strand(data, sink.slot, sink.id));
}

static bool is_live(void *data, struct dependences_task task) {
  return tasks_live_strand(data, task.slot, task.id) != NULL;
}

bool tasks_prepare(struct collector *collector) {
  static const struct dependences_observer observer = {.before = on_before, .is_wanted = is_live};
  collector->dispatch_histogram = histogram_new();
  collector->dependences = dependences_create(&observer, collector);
  return collector->dispatch_histogram && collector->dependences;
}

static bool is_read_only(enum construct construct) {
  return construct == CONSTRUCT_depend_in;
}

/* A dependence of the task that the thread created last. Who came before and is complete is remembered by the
 * variable.
 * */
static void add_dependence(struct collector *collector, const struct trace_event *event,
                           enum construct construct) {
  struct place *place = &collector->places[event->location];
  struct strand *strand = tasks_live_strand(collector, place->created_slot, place->created_id);
  uint64_t address;
  place->created_points++;
  if (!strand || !collector_attribute(event, collector->address_attribute, &address))
    return;
  struct report_task *detail = detail_of(collector, strand->construct);
  if (detail && collector_is_inside(collector, event->ticks))
    detail->dependences++;
  struct dependence *dependence = collector_get(collector, sizeof *dependence);
  if (!dependence)
    return;
  *dependence = (struct dependence){strand->dependences, address, !is_read_only(construct)};
  strand->dependences = dependence;
  collector->has_failed |=
      !dependences_add(collector->dependences, strand->creator,
                       (struct dependences_task){strand->id, place->created_slot}, construct, address);
  const struct variable *variable = table_get(&collector->variables, strand->creator, address);
  if (!variable)
    return;
  path_join(&collector->paths, &strand->path, &variable->written);
  if (dependence->is_out)
    path_join(&collector->paths, &strand->path, &variable->read);
}

void tasks_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now) {
  enum construct construct = (enum construct)collector->interests[region].construct;
  struct strand *strand = construct == CONSTRUCT_taskgroup ? tasks_strand(collector, now->task) : NULL;
  if (strand)
    open_group(collector, strand);
  else if (construct == CONSTRUCT_task_dependence)
    add_told_edge(collector, event);
  else if (collector->interests[region].is_depend)
    add_dependence(collector, event, construct);
}

void tasks_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now) {
  (void)event;
  enum construct construct = (enum construct)collector->interests[region].construct;
  if (construct != CONSTRUCT_taskgroup && construct != CONSTRUCT_taskwait)
    return;
  struct strand *strand = tasks_strand(collector, now->task);
  if (strand && construct == CONSTRUCT_taskgroup)
    close_group(collector, strand);
  else if (strand)
    path_join(&collector->paths, &strand->path, &strand->children);
}

/* -- the end -- */

void tasks_finish(struct collector *collector) {
  struct report *report = collector->report;
  for (size_t i = 0; i < collector->strand_capacity; i++) {
    const struct strand *strand = &collector->strands[i];
    path_join(&collector->paths, &collector->longest, &strand->path);
    report->tasks_live += strand->id && strand->creator;
  }
  for (size_t i = 0; i < collector->trace->region_count; i++) {
    struct report_task *detail = report->regions[i].task;
    if (detail && detail->creation_histogram)
      detail->creation_cost = histogram_quantile(detail->creation_histogram, CREATION_QUANTILE);
  }
  report->dispatch_cost = histogram_quantile(collector->dispatch_histogram, DISPATCH_QUANTILE);
}

void tasks_free(struct collector *collector) {
  dependences_free(collector->dependences);
  for (size_t i = 0; i < collector->strand_capacity; i++)
    clear_strand(collector, &collector->strands[i]);
  forget_variables(collector);
  table_free(&collector->named_tasks);
  free(collector->strands);
}
