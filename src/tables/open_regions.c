/* The regions that tasks are in. */
#include "base/array.h"
#include "tables/tabulate.h"

struct entered_stack *tabulate_stack(struct tabulator *tabulator, uint32_t slot) {
  array_reserve_zeroed(&tabulator->of_task, &tabulator->task_capacity, (size_t)slot + 1,
                       sizeof *tabulator->of_task);
  return &tabulator->of_task[slot];
}

struct entered *tabulate_top(struct tabulator *tabulator, const struct replay_task *task) {
  if (task->slot >= tabulator->task_capacity)
    return NULL;
  struct entered_stack *stack = &tabulator->of_task[task->slot];
  return stack->count ? &stack->items[stack->count - 1] : NULL;
}

struct entered *tabulate_innermost(struct tabulator *tabulator, size_t location) {
  struct replay_now now = replay_now(tabulator->replay, location);
  struct entered *top = tabulate_top(tabulator, now.task);
  return top || now.task == now.implicit ? top : tabulate_top(tabulator, now.implicit);
}

uint64_t tabulate_around(struct tabulator *tabulator, size_t location) {
  const struct entered *inner = tabulate_innermost(tabulator, location);
  const struct tabulate_place *place = &tabulator->places[location];
  if (inner)
    return inner->id;
  return place->outer_count ? place->outer[place->outer_count - 1] : 0;
}
