/* Tasks that have to run one after another (OpenMP 5.1, 2.12.6, constraints 2 and 3).
 *
 * A processor may read its clock before the instructions in front of that are complete (x86-64's rdtsc is not
 * ordered). So a task that waited for a lock of the runtime seems to begin before the one that held it ends,
 * by up to 0.1 us, as was seen. Two tasks overlapped for certain if each ends more than a moment after the
 * other's begin. So what a task's begin breaks is looked for when that moment is over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/checker.h"

enum { MOMENTS_PER_SECOND = 1000000 };

/* Of a set of tasks that exclude each other, in running_sets. */
enum { SET_RUNNING, SET_SINCE }; /* how many run; since when the last one does so for certain */

/* In ticks, of which a clock has to show two where it has no finer ones. */
static uint64_t moment(const struct checker *checker) {
  uint64_t ticks = checker->trace->clock.ticks_per_second / MOMENTS_PER_SECOND;
  return ticks ? ticks : 1;
}

static uint64_t moment_after(const struct checker *checker, uint64_t ticks) {
  uint64_t length = moment(checker);
  return ticks < UINT64_MAX - length ? ticks + length : UINT64_MAX;
}

/* -- when the moment is over -- */

static const char *name_of_creator(const struct checker *checker, const struct fresh_task *fresh) {
  return checker->trace->locations[fresh->created_on].name;
}

static void check_dependences(struct checker *checker, const struct fresh_task *fresh) {
  for (size_t i = 0; i < fresh->before_count; i++) {
    const struct task_state *source = checker_known_task(checker, fresh->before[i]);
    if (!source)
      continue;
    struct check_finding *found = checker_find(checker, CHECK_DEPENDENCE, fresh->location, fresh->ticks,
                                               fresh->place, checker_place_of(source));
    if (found)
      snprintf(found->detail, sizeof found->detail, "task %u of %s began; it depends on %s, which %s",
               fresh->generation, name_of_creator(checker, fresh),
               checker_name(checker, checker_place_of(source)),
               source->has_started ? "still ran" : "had not started");
  }
}

/* Numbers are kept as a pointer's value. */
static uint64_t get_of_set(const struct checker *checker, uint64_t set, uint64_t what) {
  return (uintptr_t)pair_map_get(&checker->running_sets, set, what);
}

static void put_of_set(struct checker *checker, uint64_t set, uint64_t what, uint64_t value) {
  if (value == 0)
    pair_map_remove(&checker->running_sets, set, what);
  else
    pair_map_put(&checker->running_sets, set, what, (void *)(uintptr_t)value);
}

static void check_set(struct checker *checker, const struct fresh_task *fresh, uint64_t set) {
  uint64_t running = get_of_set(checker, set, SET_RUNNING);
  if (running == 0 || fresh->end <= get_of_set(checker, set, SET_SINCE))
    return;
  struct check_finding *found = checker_find(checker, CHECK_MUTUAL_EXCLUSION, fresh->location, fresh->ticks,
                                             fresh->place, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "task %u of %s began while %u other%s of its set ran",
             fresh->generation, name_of_creator(checker, fresh), (unsigned)running, running > 1 ? "s" : "");
}

static void check_sets(struct checker *checker, struct fresh_task *fresh) {
  struct task_state *task = checker_known_task(checker, fresh->task);
  bool runs = task && fresh->end == UINT64_MAX;
  for (size_t i = 0; i < fresh->set_count; i++) {
    check_set(checker, fresh, fresh->sets[i]);
    if (!runs)
      continue;
    put_of_set(checker, fresh->sets[i], SET_RUNNING, get_of_set(checker, fresh->sets[i], SET_RUNNING) + 1);
    put_of_set(checker, fresh->sets[i], SET_SINCE, moment_after(checker, fresh->ticks));
  }
  if (!runs)
    return;
  free(task->sets);
  task->sets = fresh->sets;
  task->set_count = task->set_capacity = fresh->set_count;
  fresh->sets = NULL;
}

static void release(struct fresh_task *fresh) {
  free(fresh->before);
  free(fresh->sets);
}

static void settle(struct checker *checker, struct fresh_task *fresh) {
  if (checks(checker, CHECK_DEPENDENCE))
    check_dependences(checker, fresh);
  if (checks(checker, CHECK_MUTUAL_EXCLUSION))
    check_sets(checker, fresh);
  release(fresh);
}

void check_task_orders_settle(struct checker *checker, uint64_t ticks) {
  while (checker->fresh_first < checker->fresh_count) {
    struct fresh_task *fresh = &checker->fresh[checker->fresh_first];
    if (ticks <= moment_after(checker, fresh->ticks))
      return;
    checker->fresh_first++;
    settle(checker, fresh);
  }
  checker->fresh_first = checker->fresh_count = 0;
}

/* -- begin and end -- */

/* Those that are settled are dropped: what stays has started within a moment. */
static struct fresh_task *add_fresh(struct checker *checker) {
  size_t waiting = checker->fresh_count - checker->fresh_first;
  if (checker->fresh_first > waiting) {
    memmove(checker->fresh, &checker->fresh[checker->fresh_first], waiting * sizeof *checker->fresh);
    checker->fresh_first = 0;
    checker->fresh_count = waiting;
  }
  array_reserve(&checker->fresh, &checker->fresh_capacity, checker->fresh_count + 1, sizeof *checker->fresh);
  return &checker->fresh[checker->fresh_count++];
}

void check_task_orders_begin(struct checker *checker, const struct replay_task_event *step,
                             struct task_state *task) {
  bool is_ordered = task->before_count > 0 || task->set_count > 0;
  struct fresh_task *fresh = is_ordered ? add_fresh(checker) : NULL;
  if (!fresh)
    return;
  *fresh = (struct fresh_task){.task = {task->id, step->task->slot, 0},
                               .before = task->before,
                               .sets = task->sets,
                               .before_count = task->before_count,
                               .set_count = task->set_count,
                               .location = step->location,
                               .created_on = step->task->created_on,
                               .ticks = step->ticks,
                               .end = UINT64_MAX,
                               .generation = step->task->generation,
                               .place = checker_place_of(task)};
  task->before = NULL;
  task->sets = NULL;
  task->before_count = task->before_capacity = task->set_count = task->set_capacity = 0;
}

void check_task_orders_complete(struct checker *checker, const struct task_state *task, uint64_t ticks) {
  for (size_t i = checker->fresh_first; i < checker->fresh_count; i++)
    if (checker->fresh[i].task.id == task->id)
      checker->fresh[i].end = ticks;
  for (size_t i = 0; task->has_started && i < task->set_count; i++) {
    uint64_t running = get_of_set(checker, task->sets[i], SET_RUNNING);
    put_of_set(checker, task->sets[i], SET_RUNNING, running > 0 ? running - 1 : 0);
    if (running <= 1)
      put_of_set(checker, task->sets[i], SET_SINCE, 0);
  }
}

/* Those at the end of the trace are not certain. */
void check_task_orders_close(struct checker *checker) {
  for (size_t i = checker->fresh_first; i < checker->fresh_count; i++)
    release(&checker->fresh[i]);
  free(checker->fresh);
}
