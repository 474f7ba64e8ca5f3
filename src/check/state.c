/* What the rules share: states of tasks and locks, names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "check/checker.h"

void checker_drop(struct ancestor *ancestor) {
  while (ancestor && --ancestor->references == 0) {
    struct ancestor *parent = ancestor->parent;
    free(ancestor);
    ancestor = parent;
  }
}

void checker_release_task(struct task_state *task) {
  if (task->ancestor) {
    task->ancestor->is_complete = true;
    checker_drop(task->ancestor);
  }
  free(task->before);
  free(task->sets);
  free(task->holds);
  *task = (struct task_state){0};
}

struct task_state *checker_task(struct checker *checker, const struct replay_task *task) {
  array_reserve_zeroed(&checker->tasks, &checker->task_count, task->slot + 1, sizeof *checker->tasks);
  struct task_state *state = &checker->tasks[task->slot];
  if (state->id == task->id)
    return state;
  checker_release_task(state);
  *state = (struct task_state){.id = task->id,
                               .suspended_on = SIZE_MAX,
                               .suspended_in = CHECK_NO_REGION,
                               .region = CHECK_NO_REGION,
                               .create_region = CHECK_NO_REGION};
  return state;
}

struct task_state *checker_known_task(struct checker *checker, struct dependences_task task) {
  bool is_known = task.slot < checker->task_count && checker->tasks[task.slot].id == task.id && task.id > 0;
  return is_known ? &checker->tasks[task.slot] : NULL;
}

size_t checker_process(const struct checker *checker, size_t location) {
  const struct trace *trace = checker->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  return group ? (size_t)(group - trace->location_groups) : trace->location_group_count;
}

uint32_t checker_region(const struct checker *checker, uint64_t ref) {
  return trace_region_position(checker->trace, ref);
}

const char *checker_name(const struct checker *checker, uint32_t region) {
  static const char prefix[] = "!$omp ", creating[] = "create ";
  if (region >= checker->trace->region_count)
    return "an unknown region";
  const char *name = checker->trace->regions[region].name;
  name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
  return name + (strncmp(name, creating, strlen(creating)) == 0 ? strlen(creating) : 0);
}

uint32_t checker_place_of(const struct task_state *task) {
  return task->region != CHECK_NO_REGION ? task->region : task->create_region;
}

struct lock_state *check_locks_state(struct checker *checker, uint64_t number) {
  struct lock_state *lock = pair_map_get(&checker->locks, number, 0);
  if (lock)
    return lock;
  lock = memory_get(1, sizeof *lock);
  pair_map_put(&checker->locks, number, 0, lock);
  lock->lock = number;
  lock->next = checker->all_locks;
  return checker->all_locks = lock;
}

struct lock_text check_lock_text(const struct checker *checker, uint64_t lock) {
  const char *name = trace_lock_name(checker->trace, (size_t)(lock >> 32), (uint32_t)lock);
  struct lock_text text;
  snprintf(text.text, sizeof text.text, name ? "%" PRIu32 " '%.60s'" : "%" PRIu32, (uint32_t)lock, name);
  return text;
}
