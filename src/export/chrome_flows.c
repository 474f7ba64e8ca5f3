/* Arrows between threads: from a task's end to the beginning of those that depend on it, and from where a
 * lock was released to where a thread that waited for it acquired it. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "export/chrome.h"
#include "export/values.h"

/* A living task, by its slot. */
struct flow_task {
  uint64_t id;                    /* 0: none */
  struct dependences_task *sinks; /* which depend on it */
  size_t sink_count;              /* array_add's */
  uint64_t *arrows;               /* that lead to its beginning */
  size_t arrow_count;
};

/* The last release of a lock. */
struct flow_lock {
  size_t location;
  uint64_t acquired_ticks, released_ticks;
};

/* NULL: it is complete. */
static struct flow_task *living(struct flows *flows, struct dependences_task task) {
  struct flow_task *found = task.slot < flows->task_count ? &flows->tasks[task.slot] : NULL;
  return found && found->id == task.id ? found : NULL;
}

static void empty(struct flow_task *task) {
  free(task->sinks);
  free(task->arrows);
  *task = (struct flow_task){0};
}

/* -- dependences -- */

void chrome_flows_depend(struct chrome *chrome, struct dependences_task source,
                         struct dependences_task sink) {
  struct flow_task *task = living(&chrome->flows, source);
  if (!task || (task->sink_count > 0 && task->sinks[task->sink_count - 1].id == sink.id))
    return;
  *(struct dependences_task *)array_add(&task->sinks, &task->sink_count, sizeof sink) = sink;
}

void chrome_flows_create(struct chrome *chrome, const struct replay_task_event *step) {
  struct flows *flows = &chrome->flows;
  array_reserve_zeroed(&flows->tasks, &flows->task_count, (size_t)step->task->slot + 1, sizeof *flows->tasks);
  empty(&flows->tasks[step->task->slot]);
  flows->tasks[step->task->slot].id = step->task->id;
}

static void write_end(struct chrome *chrome, char phase, size_t location, uint64_t ns, const char *what,
                      uint64_t id) {
  chrome_begin_event_at(chrome, phase, location, ns);
  chrome_write_name(chrome, what, what);
  sink_text(chrome->sink, ",\"id\":");
  sink_number(chrome->sink, id);
  if (phase == 'f')
    sink_text(chrome->sink, ",\"bp\":\"e\"");
  chrome_end_event(chrome);
}

void chrome_flows_end(struct chrome *chrome, const struct replay_slice *slice) {
  struct flow_task *task = living(&chrome->flows, replay_task_name(slice->task));
  for (size_t i = 0; task && i < task->sink_count; i++) {
    struct flow_task *sink = living(&chrome->flows, task->sinks[i]);
    uint64_t *arrow = sink ? array_add(&sink->arrows, &sink->arrow_count, sizeof *sink->arrows) : NULL;
    if (!arrow)
      continue;
    *arrow = ++chrome->flows.dependence_count;
    write_end(chrome, 's', slice->location, chrome_ns(chrome, slice->end_ticks), "dependence", *arrow);
  }
}

void chrome_flows_begin(struct chrome *chrome, size_t location, uint64_t ticks,
                        const struct replay_task *task) {
  struct flow_task *found = task ? living(&chrome->flows, replay_task_name(task)) : NULL;
  if (!found || found->arrow_count == 0)
    return;
  for (size_t i = 0; i < found->arrow_count; i++)
    write_end(chrome, 'f', location, chrome_ns(chrome, ticks), "dependence", found->arrows[i]);
  free(found->arrows);
  found->arrows = NULL;
  found->arrow_count = 0;
}

void chrome_flows_forget(struct chrome *chrome, const struct replay_task *task) {
  struct flow_task *found = living(&chrome->flows, replay_task_name(task));
  if (found)
    empty(found);
}

/* -- locks -- */

/* An arrow begins in the slice that is open where it is: in the last nanosecond in which the lock was held,
 * since its region ends where it is released. */
static uint64_t last_held_ns(const struct chrome *chrome, const struct flow_lock *lock) {
  uint64_t released = chrome_ns(chrome, lock->released_ticks);
  return released - (released > chrome_ns(chrome, lock->acquired_ticks));
}

static void on_acquire(struct chrome *chrome, const struct replay_lock_event *step) {
  const struct flow_lock *lock = pair_map_get(&chrome->flows.locks, step->lock, 0);
  if (!lock || step->requested_ticks >= step->acquired_ticks || lock->location == step->location ||
      lock->released_ticks < step->requested_ticks || lock->released_ticks > step->acquired_ticks)
    return;
  uint64_t id = ++chrome->flows.lock_count;
  write_end(chrome, 's', lock->location, last_held_ns(chrome, lock), "lock", id);
  write_end(chrome, 'f', step->location, chrome_ns(chrome, step->acquired_ticks), "lock", id);
}

void chrome_flows_lock(struct chrome *chrome, const struct replay_lock_event *step) {
  if (step->step == REPLAY_LOCK_ACQUIRED) {
    on_acquire(chrome, step);
    return;
  }
  struct flow_lock *lock = pair_map_get(&chrome->flows.locks, step->lock, 0);
  if (!lock) {
    lock = memory_get(1, sizeof *lock);
    pair_map_put(&chrome->flows.locks, step->lock, 0, lock);
  }
  *lock = (struct flow_lock){step->location, step->acquired_ticks, step->ticks};
}

void chrome_flows_close(struct chrome *chrome) {
  struct flows *flows = &chrome->flows;
  for (size_t i = 0; i < flows->task_count; i++)
    empty(&flows->tasks[i]);
  free(flows->tasks);
  for (size_t i = 0; i < flows->locks.capacity; i++)
    free(flows->locks.entries[i].value);
  pair_map_free(&flows->locks);
}
