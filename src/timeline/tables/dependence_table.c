#include "timeline/tables/dependence_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A living task. */
struct dependence_task {
  uint64_t id;                    /* 0: none */
  struct dependences_task *sinks; /* which have to wait for it */
  size_t sink_count;
  struct happening *sources; /* where those were complete that it had to wait for */
  size_t source_count;
};

struct dependence_maker {
  struct dependences_task created;
  uint64_t parent;
};

/* -- who waits for whom -- */

/* NULL: it is complete. */
static struct dependence_task *living(const struct dependence_table *table, uint64_t id, uint32_t slot) {
  struct dependence_task *found = slot < table->task_count ? &table->tasks[slot] : NULL;
  return found && found->id == id ? found : NULL;
}

static bool is_wanted(void *data, struct dependences_task task) {
  return living(data, task.id, task.slot) != NULL;
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  (void)address;
  struct dependence_table *table = data;
  struct dependence_task *task = living(table, source.id, source.slot);
  if (!task || (task->sink_count > 0 && task->sinks[task->sink_count - 1].id == sink.id))
    return;
  struct dependences_task *added = array_add(&task->sinks, &task->sink_count, sizeof *added);
  table->is_out_of_memory |= !added;
  if (added)
    *added = sink;
}

static size_t find_attribute(const struct trace *trace) {
  for (size_t i = 0; i < trace->attribute_count; i++)
    if (strcmp(trace->attributes[i].name, "dependence address") == 0)
      return i;
  return SIZE_MAX;
}

bool dependence_table_begin(struct dependence_table *ret, const struct trace *trace, size_t limit,
                            uint64_t from, uint64_t to) {
  const struct dependences_observer observer = {.before = on_dependence, .is_wanted = is_wanted};
  *ret = (struct dependence_table){
      .limit = limit, .stride = 1, .from = from, .to = to, .attribute = find_attribute(trace)};
  ret->dependences = dependences_create(&observer, ret);
  ret->makers = calloc(trace->location_count + 1, sizeof *ret->makers);
  return ret->dependences && ret->makers;
}

void dependence_table_enter(struct dependence_table *table, const struct trace *trace,
                            const struct trace_event *event, enum construct construct) {
  const struct dependence_maker *maker = &table->makers[event->location];
  if (construct_class(construct) != CONSTRUCT_CLASS_depend || maker->parent == 0 ||
      table->attribute == SIZE_MAX)
    return;
  for (uint32_t i = 0; i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    if (trace_attribute(trace, attribute.attribute) == &trace->attributes[table->attribute])
      table->is_out_of_memory |=
          !dependences_add(table->dependences, maker->parent, maker->created, construct, attribute.number);
  }
}

/* -- tasks -- */

static void empty(struct dependence_task *task) {
  free(task->sinks);
  free(task->sources);
  *task = (struct dependence_task){0};
}

static void create(struct dependence_table *table, const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  if (!array_reserve_zeroed(&table->tasks, &table->task_count, (size_t)task->slot + 1,
                            sizeof *table->tasks)) {
    table->is_out_of_memory = true;
    return;
  }
  empty(&table->tasks[task->slot]);
  table->tasks[task->slot].id = task->id;
  table->makers[event->location] =
      (struct dependence_maker){{task->id, task->slot}, event->other ? event->other->id : 0};
}

/* Keeps every other one until at least half of the room is free. */
static void make_room(struct dependence_table *table) {
  while (table->count > 1 && table->count > table->limit / 2) {
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i += 2)
      table->records[kept++] = table->records[i];
    table->count = kept;
    table->stride *= 2;
  }
}

static void keep(struct dependence_table *table, struct happening from, struct happening to) {
  if (to.ticks < table->from || from.ticks > table->to || table->all++ % table->stride)
    return;
  if (table->count >= table->limit && table->limit > 0)
    make_room(table);
  if (!array_reserve(&table->records, &table->capacity, table->count + 1, sizeof *table->records)) {
    table->is_out_of_memory = true;
    return;
  }
  table->records[table->count++] = (struct dependence_record){from, to};
}

static void complete(struct dependence_table *table, const struct replay_task_event *event,
                     struct dependence_task *task) {
  for (size_t i = 0; i < task->sink_count; i++) {
    struct dependence_task *sink = living(table, task->sinks[i].id, task->sinks[i].slot);
    struct happening *added = sink ? array_add(&sink->sources, &sink->source_count, sizeof *added) : NULL;
    table->is_out_of_memory |= sink && !added;
    if (added)
      *added = (struct happening){event->ticks, event->location};
  }
  empty(task);
}

void dependence_table_update(struct dependence_table *table, const struct replay_task_event *event) {
  if (event->step == REPLAY_TASK_CREATED)
    create(table, event);
  struct dependence_task *task = living(table, event->task->id, event->task->slot);
  if (event->step == REPLAY_TASK_BEGUN)
    for (size_t i = 0; task && i < task->source_count; i++)
      keep(table, task->sources[i], (struct happening){event->ticks, event->location});
  if (event->step == REPLAY_TASK_COMPLETED && task)
    complete(table, event, task);
  if (event->step == REPLAY_TASK_COMPLETED)
    dependences_forget(table->dependences, event->task->id);
}

bool dependence_table_last(const struct dependence_table *table, const struct replay_task *task,
                           struct happening *ret) {
  const struct dependence_task *found = living(table, task->id, task->slot);
  if (!found || found->source_count == 0)
    return false;
  *ret = found->sources[found->source_count - 1]; /* tasks complete one after another */
  return true;
}

/* -- at the end -- */

static int by_time(const void *one, const void *other) {
  const struct dependence_record *first = one, *second = other;
  if (first->from.ticks != second->from.ticks)
    return first->from.ticks < second->from.ticks ? -1 : 1;
  return first->to.ticks < second->to.ticks ? -1 : first->to.ticks > second->to.ticks;
}

void dependence_table_finish(struct dependence_table *table) {
  if (table->count)
    qsort(table->records, table->count, sizeof *table->records, by_time);
}

void dependence_table_free(struct dependence_table *table) {
  for (size_t i = 0; i < table->task_count; i++)
    empty(&table->tasks[i]);
  free(table->tasks);
  free(table->makers);
  free(table->records);
  dependences_free(table->dependences);
  *table = (struct dependence_table){0};
}
