/* Locks and critical sections: their states, held while other tasks run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/checker.h"

/* Ordered and atomic regions are locks for the runtime only: they cannot be nested the wrong way round. */
static bool is_lock(const struct checker *checker, uint32_t region) {
  enum construct construct = replay_construct(checker->replay, region);
  return construct != CONSTRUCT_ordered && construct != CONSTRUCT_atomic;
}

/* -- steps of a lock -- */

static void note_acquirer(struct lock_state *lock, const struct replay_task *task) {
  if (!task || task->is_implicit || lock->acquirer == task->id)
    return;
  lock->is_by_many = lock->acquirer > 0;
  if (lock->acquirer == 0)
    lock->acquirer = task->id;
}

/* Two threads may have acquired it at one time, by their clocks: then either may come first
 * here. */
static void check_number(struct checker *checker, struct lock_state *lock,
                         const struct replay_lock_event *step) {
  struct check_finding *found = NULL;
  bool goes_back = lock->acquisitions > 0 && step->order <= lock->order && step->ticks > lock->ticks;
  if (checks(checker, CHECK_LOCK_STATE) && goes_back)
    found =
        checker_find(checker, CHECK_LOCK_STATE, step->location, step->ticks, step->region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "acquisition %u of lock %s comes after number %u",
             step->order, check_lock_text(checker, step->lock).text, lock->order);
  if (lock->acquisitions++ == 0 || step->order < lock->first_order)
    lock->first_order = step->order;
  lock->order = step->order > lock->order ? step->order : lock->order;
  lock->ticks = step->ticks;
  lock->region = step->region;
  lock->location = step->location;
}

static void acquire(struct checker *checker, const struct replay_lock_event *step) {
  struct task_state *task = checker_task(checker, step->task);
  struct lock_state *lock = check_locks_state(checker, step->lock);
  check_number(checker, lock, step);
  lock->recent[step->order % RECENT_MAX] = (struct acquisition){.order = step->order,
                                                                .region = step->region,
                                                                .task = step->task->id,
                                                                .location = step->location,
                                                                .ticks = step->ticks};
  check_lock_acquired(checker, checker->event, step->lock, step->region);
  if (!is_lock(checker, step->region))
    return;
  note_acquirer(lock, step->task);
  for (size_t i = 0; checks(checker, CHECK_LOCK_ORDER) && i < task->hold_count; i++)
    if (task->holds[i].lock != step->lock)
      check_lock_orders_note(checker, task, &task->holds[i], step);
  array_reserve(&task->holds, &task->hold_capacity, task->hold_count + 1, sizeof *task->holds);
  task->holds[task->hold_count++] = (struct held_by_task){step->lock, step->order, step->region, step->ticks};
}

static bool drop_hold(struct task_state *task, const struct replay_lock_event *step) {
  for (size_t i = task->hold_count; i-- > 0;)
    if (task->holds[i].lock == step->lock && task->holds[i].order == step->order) {
      for (; i + 1 < task->hold_count; i++)
        task->holds[i] = task->holds[i + 1];
      task->hold_count--;
      return true;
    }
  return false;
}

/* The task that acquired it has ended meanwhile. */
static bool is_kept_by_gone(const struct lock_state *lock, uint32_t order) {
  const struct acquisition *acquisition = &lock->recent[order % RECENT_MAX];
  return order > 0 && acquisition->order == order && !acquisition->is_released;
}

/* A lock belongs to a task, but the runtime reports the thread only: what runs there now need not be who
 * acquired it. */
static void release(struct checker *checker, const struct replay_lock_event *step) {
  if (drop_hold(checker_task(checker, step->task), step))
    return;
  for (size_t i = 0; i < checker->task_count; i++)
    if (checker->tasks[i].hold_count > 0 && drop_hold(&checker->tasks[i], step))
      return;
  struct lock_state *lock = check_locks_state(checker, step->lock);
  bool was_acquired = step->order > 0 && step->order <= lock->order;
  if (!checks(checker, CHECK_LOCK_STATE) || is_kept_by_gone(lock, step->order) ||
      (was_acquired && !is_lock(checker, step->region)))
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_STATE, step->location, step->ticks, step->region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "lock %s is released in turn %u, which nobody holds",
             check_lock_text(checker, step->lock).text, step->order);
}

void check_locks_on_step(struct checker *checker, const struct replay_lock_event *step) {
  if (step->step == REPLAY_LOCK_ACQUIRED) {
    acquire(checker, step);
  } else {
    release(checker, step);
    check_lock_released(checker, step);
  }
}

/* -- held while another task runs -- */

static void find_across(struct checker *checker, const struct replay_task_event *step,
                        const struct held_by_task *hold, uint64_t holder) {
  const struct replay_task *prior = step->other;
  uint32_t where = prior->frame_count ? prior->frames[prior->frame_count - 1].region : CHECK_NO_REGION;
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_ACROSS_SCHEDULING, step->location, step->ticks, hold->region, where);
  if (!found)
    return;
  found->lock = hold->lock;
  found->holder = holder;
  snprintf(found->detail, sizeof found->detail, "held in %s, where %s ran",
           where == CHECK_NO_REGION ? "its task" : checker_name(checker, where),
           checker_name(checker, checker_place_of(checker_task(checker, step->task))));
}

void check_locks_on_switch(struct checker *checker, const struct replay_task_event *step) {
  bool is_switch = step->step == REPLAY_TASK_STARTED || step->step == REPLAY_TASK_RESUMED;
  const struct replay_task *prior = step->other;
  if (!is_switch || !prior || !checks(checker, CHECK_LOCK_ACROSS_SCHEDULING))
    return;
  struct dependences_task name = replay_task_name(prior);
  const struct task_state *holder = checker_known_task(checker, name);
  for (size_t i = 0; holder && i < holder->hold_count; i++) {
    struct held_by_task hold = holder->holds[i];
    find_across(checker, step, &hold, holder->id); /* which may move all tasks */
    holder = checker_known_task(checker, name);
  }
}

/* If nobody but the holder ever needs the lock in a task, nothing can go wrong with it as the program is. */
static void judge_across(struct checker *checker) {
  for (size_t i = 0; i < checker->result->count; i++) {
    struct check_finding *finding = &checker->result->findings[i];
    const struct lock_state *lock = pair_map_get(&checker->locks, finding->lock, 0);
    if (finding->rule == CHECK_LOCK_ACROSS_SCHEDULING && lock && !lock->is_by_many &&
        (lock->acquirer == 0 || lock->acquirer == finding->holder))
      finding->severity = CHECK_INFORMATION;
  }
}

/* -- at the end -- */

static void check_gaps(struct checker *checker) {
  for (const struct lock_state *lock = checker->all_locks; lock; lock = lock->next) {
    uint64_t numbered = lock->order - lock->first_order + 1;
    struct check_finding *found = lock->acquisitions == 0 || lock->acquisitions == numbered
                                      ? NULL
                                      : checker_find(checker, CHECK_LOCK_STATE, lock->location, lock->ticks,
                                                     lock->region, CHECK_NO_REGION);
    if (found)
      snprintf(found->detail, sizeof found->detail,
               "lock %s has %llu acquisitions with numbers from %u to %u",
               check_lock_text(checker, lock->lock).text, (unsigned long long)lock->acquisitions,
               lock->first_order, lock->order);
  }
}

void check_locks_finish(struct checker *checker) {
  if (checks(checker, CHECK_LOCK_ORDER))
    check_lock_orders_finish(checker);
  if (checks(checker, CHECK_LOCK_STATE))
    check_gaps(checker);
  check_lock_states_finish(checker);
  judge_across(checker);
}

void check_locks_close(struct checker *checker) {
  check_lock_states_close(checker);
  while (checker->all_locks) {
    struct lock_state *lock = checker->all_locks;
    checker->all_locks = lock->next;
    while (lock->edges) {
      struct lock_edge *edge = lock->edges;
      lock->edges = edge->next_of_first;
      free(edge);
    }
    free(lock);
  }
  pair_map_free(&checker->locks);
  pair_map_free(&checker->edges);
}
