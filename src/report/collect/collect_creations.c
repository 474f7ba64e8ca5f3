/* What it costs to create tasks, and in which parallel regions they are. */
#include "base/array.h"
#include "report/collect/collect.h"

/* Much of what is between two creations is the program's own code. */
#define CREATION_QUANTILE 0.25

/* Runtimes need less to create a task than to get and begin one (libomp 14: 0.1 of 0.7 us). What is always
 * longer than this between two creations is the program's own code, and what they cost is not known. */
enum { CREATION_DISPATCHES_MAX = 4, CREATION_NS_MAX = 10000 };

/* From one creation to the next by the same task, if there is nothing between but the create region and the
 * dependences. */
void creations_measure(struct collector *collector, const struct replay_task_event *event,
                       struct report_task *detail) {
  struct report_location *here = &collector->locations[event->location];
  uint64_t number = event->event->number;
  bool is_next = here->created_by == event->task->creator &&
                 number - here->created_number <= 3 + 2 * (uint64_t)here->created_points;
  if (is_next && collector_is_inside(collector, event->ticks)) {
    if (!detail->creation_histogram)
      detail->creation_histogram = histogram_new();
    histogram_add(detail->creation_histogram, event->ticks - here->created_ticks);
    spread_add(&detail->creation, event->ticks - here->created_ticks);
  }
  here->created_number = number;
  here->created_by = event->task->creator;
  here->created_ticks = event->ticks;
  here->created_id = event->task->id;
  here->created_slot = event->task->slot;
  here->created_points = 0;
}

static struct report_creations *creations_of(struct report_parallel *parallel,
                                             const struct replay_task *task) {
  for (size_t i = 0; i < parallel->creations_count; i++)
    if (parallel->creations[i].construct == task->create_region)
      return &parallel->creations[i];
  struct report_creations *creations =
      array_add(&parallel->creations, &parallel->creations_count, sizeof *creations);
  *creations = (struct report_creations){.construct = task->create_region, .creator = task->created_on};
  return creations;
}

/* One thread of each process is one, where all do the same. */
static void add_creator(const struct report *report, struct report_creations *creations, uint32_t creator) {
  if (creations->creator == creator)
    return;
  creations->has_several |= report->threads[creations->creator].process == report->threads[creator].process;
  creations->creator = creator;
}

void creations_count(struct collector *collector, uint32_t region, const struct replay_task *task) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  struct report_creations *creations = parallel ? creations_of(parallel, task) : NULL;
  if (!creations)
    return;
  creations->tasks++;
  add_creator(collector->report, creations, task->created_on);
}

static uint64_t creation_cost(const struct report *report, const uint32_t *histogram) {
  double most = report->dispatch_cost ? (double)report->dispatch_cost * CREATION_DISPATCHES_MAX
                                      : (double)report->trace->clock.ticks_per_second * CREATION_NS_MAX / 1e9;
  uint64_t cost = histogram_quantile(histogram, CREATION_QUANTILE);
  return (double)cost <= most ? cost : 0;
}

void creations_finish(const struct report *report, struct report_task *detail) {
  if (detail->creation_histogram)
    detail->creation_cost = creation_cost(report, detail->creation_histogram);
}
