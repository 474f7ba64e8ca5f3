/* Tasks that must not start before others are complete, by their depend clauses. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "what_if/clocks.h"

/* NULL: it is complete. */
static struct clock_task *living(struct clocks *clocks, struct dependences_task task) {
  struct clock_task *found = task.slot < clocks->task_count ? &clocks->tasks[task.slot] : NULL;
  return found && found->id == task.id ? found : NULL;
}

static bool is_wanted(void *data, struct dependences_task task) {
  return living(data, task) != NULL;
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  struct clocks *clocks = data;
  struct clock_task *task = living(clocks, source);
  (void)address;
  if (!task || (task->sink_count > 0 && task->sinks[task->sink_count - 1].id == sink.id))
    return;
  struct dependences_task *added = array_add(&task->sinks, &task->sink_count, sizeof *added);
  clocks->has_failed |= added == NULL;
  if (added)
    *added = sink;
}

bool clock_depends_prepare(struct clocks *clocks) {
  const struct dependences_observer observer = {.before = on_dependence, .is_wanted = is_wanted};
  const struct trace *trace = clocks->trace;
  clocks->address = SIZE_MAX;
  for (size_t i = 0; i < trace->attribute_count; i++)
    if (strcmp(trace->attributes[i].name, "dependence address") == 0)
      clocks->address = i;
  clocks->dependences = dependences_create(&observer, clocks);
  clocks->makers = calloc(trace->location_count + 1, sizeof *clocks->makers);
  return clocks->dependences && clocks->makers;
}

void clock_depends_free(struct clocks *clocks) {
  dependences_free(clocks->dependences);
  free(clocks->makers);
}

void clock_depends_create(struct clocks *clocks, size_t location, struct dependences_task task,
                          uint64_t parent) {
  clocks->makers[location] = (struct clock_maker){task, parent};
}

void clock_depends_enter(struct clocks *clocks, const struct trace_event *event) {
  const struct clock_maker *maker = &clocks->makers[event->location];
  uint32_t region = trace_region_position(clocks->trace, event->Enter.region);
  enum construct construct = replay_construct(clocks->replay, region);
  if (clocks->address == SIZE_MAX || maker->parent == 0 ||
      construct_class(construct) != CONSTRUCT_CLASS_depend)
    return;
  for (uint32_t i = 0; i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    if (trace_attribute(clocks->trace, attribute.attribute) == &clocks->trace->attributes[clocks->address])
      clocks->has_failed |=
          !dependences_add(clocks->dependences, maker->parent, maker->created, construct, attribute.number);
  }
}

void clock_depends_complete(struct clocks *clocks, struct dependences_task task,
                            const struct clock_row *row) {
  struct clock_task *complete = living(clocks, task);
  for (size_t i = 0; complete && i < complete->sink_count; i++) {
    struct clock_task *sink = living(clocks, complete->sinks[i]);
    if (sink)
      clock_raise(clocks, &sink->ready, row);
  }
  if (complete) {
    free(complete->sinks);
    complete->sinks = NULL;
    complete->sink_count = 0;
    complete->id = 0;
  }
  dependences_forget(clocks->dependences, task.id);
}
