/* Tasks that must not start before others are complete, by their depend clauses. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "what_if/clocks.h"

/* NULL: it is complete. */
static struct clock_task *living(struct clocks *clocks, struct dependences_task task) {
  struct clock_task *found = task.slot < clocks->task_count ? &clocks->tasks[task.slot] : NULL;
  return found && found->id == task.id ? found : NULL;
}

void clock_on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                         uint64_t address) {
  struct clock_task *task = living(data, source);
  (void)address;
  if (!task || (task->sink_count > 0 && task->sinks[task->sink_count - 1].id == sink.id))
    return;
  *(struct dependences_task *)array_add(&task->sinks, &task->sink_count, sizeof sink) = sink;
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
}
