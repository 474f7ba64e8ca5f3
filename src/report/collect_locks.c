/* Locks and critical sections: who waits, who holds, who is to blame. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/collect.h"

static struct lock_history *lock_at(struct collector *collector, uint64_t number) {
  uintptr_t slot = (uintptr_t)pair_map_get(&collector->locks, 0, number); /* from 1 */
  if (slot)
    return pool_item(&collector->lock_pool, (uint32_t)(slot - 1));
  uint32_t fresh = pool_get(&collector->lock_pool);
  if (fresh == POOL_NONE || !pair_map_put(&collector->locks, 0, number, (void *)((uintptr_t)fresh + 1))) {
    collector->has_failed = true;
    return NULL;
  }
  return pool_item(&collector->lock_pool, fresh);
}

/* -- blame -- */

/* One who made those wait who wanted a lock in `waiting`. */
struct blamed {
  uint32_t waiting;
  struct report_blame blame;
};

static void blame(struct collector *collector, uint32_t waiting, const struct lock_hold *hold,
                  uint64_t ticks) {
  uint64_t key = (uint64_t)waiting << 32 | hold->region;
  struct blamed *one = pair_map_get(&collector->blamed, key, hold->location);
  if (!one) {
    one = collector_get(collector, sizeof *one);
    if (!one)
      return;
    *one = (struct blamed){waiting, {hold->region, hold->location, 0}};
    collector->has_failed |= !pair_map_put(&collector->blamed, key, hold->location, one);
  }
  one->blame.ticks += ticks;
}

/* -- the locks of one construct -- */

/* One lock as a construct acquires it. */
struct lock_object {
  uint32_t region;
  struct report_lock_object counted;
};

static struct lock_object *object_of(struct collector *collector, uint32_t region, uint64_t lock) {
  struct lock_object *object = pair_map_get(&collector->lock_objects, region, lock);
  if (object || region == REPLAY_NONE)
    return object;
  object = collector_get(collector, sizeof *object);
  if (!object)
    return NULL;
  *object = (struct lock_object){region, {.lock = lock}};
  collector->has_failed |= !pair_map_put(&collector->lock_objects, region, lock, object);
  return object;
}

static void blame_for(struct collector *collector, struct lock_object *object, const struct lock_hold *hold,
                      uint64_t ticks) {
  uint64_t holder = (uint64_t)hold->region << 32 | hold->location;
  struct report_blame *one = pair_map_get(&collector->lock_blamed, (uintptr_t)object, holder);
  if (!one) {
    one = collector_get(collector, sizeof *one);
    if (!one)
      return;
    *one = (struct report_blame){hold->region, hold->location, 0};
    collector->has_failed |= !pair_map_put(&collector->lock_blamed, (uintptr_t)object, holder, one);
  }
  one->ticks += ticks;
  if (one->ticks > object->counted.holder.ticks)
    object->counted.holder = *one;
}

/* Those waited for longest, in order; of equals the one with the smaller number. */
static void keep_object(struct report_mutex *mutex, const struct report_lock_object *object) {
  struct report_lock_object *kept = mutex->objects;
  int i = REPORT_LOCK_OBJECTS - 1;
  mutex->locks++;
  for (; i >= 0 && (kept[i].acquisitions == 0 || kept[i].wait.sum < object->wait.sum ||
                    (kept[i].wait.sum == object->wait.sum && kept[i].lock > object->lock));
       i--)
    if (i + 1 < REPORT_LOCK_OBJECTS)
      kept[i + 1] = kept[i];
  if (i + 1 < REPORT_LOCK_OBJECTS)
    kept[i + 1] = *object;
}

static void keep_objects(struct collector *collector) {
  for (size_t i = 0; i < collector->lock_objects.capacity; i++) {
    const struct lock_object *one = collector->lock_objects.entries[i].value;
    struct report_mutex *mutex = one ? collector_mutex(collector, one->region) : NULL;
    if (mutex && one->counted.acquisitions > 0)
      keep_object(mutex, &one->counted);
  }
}

/* -- finish -- */

/* Keeps the greatest, in order. */
static void keep_greatest(struct report_mutex *mutex, const struct report_blame *blame) {
  int i = REPORT_BLAMED - 1;
  mutex->blamed_ticks += blame->ticks;
  if (blame->ticks <= mutex->blamed[i].ticks)
    return;
  for (; i > 0 && mutex->blamed[i - 1].ticks < blame->ticks; i--)
    mutex->blamed[i] = mutex->blamed[i - 1];
  mutex->blamed[i] = *blame;
}

void locks_finish(struct collector *collector) {
  keep_objects(collector);
  for (size_t i = 0; i < collector->blamed.capacity; i++) {
    const struct blamed *one = collector->blamed.entries[i].value;
    struct report_mutex *mutex = one ? collector_mutex(collector, one->waiting) : NULL;
    if (mutex)
      keep_greatest(mutex, &one->blame);
  }
}

/* What of the wait a hold overlaps. One whose release is not known yet ended, in truth, when the next
 * began. */
static uint64_t overlap(const struct lock_hold *hold, uint64_t wanted, uint64_t acquired) {
  uint64_t begin = hold->acquired > wanted ? hold->acquired : wanted;
  uint64_t end = hold->released && hold->released < acquired ? hold->released : acquired;
  return end > begin ? end - begin : 0;
}

static bool find_holders(struct collector *collector, const struct lock_history *lock,
                         struct lock_object *object, uint64_t wanted, uint64_t acquired) {
  bool is_contended = false;
  uint64_t oldest = lock->count > HOLDS ? lock->count - HOLDS : 0;
  for (uint64_t i = lock->count; i-- > oldest;) {
    const struct lock_hold *hold = &lock->holds[i % HOLDS];
    uint64_t ticks = overlap(hold, wanted, acquired);
    if (ticks == 0)
      break;
    is_contended = true;
    blame(collector, object->region, hold, ticks);
    blame_for(collector, object, hold, ticks);
    acquired = hold->acquired > wanted ? hold->acquired : wanted;
  }
  return is_contended;
}

const char *report_lock_name(const struct report *report, const struct report_mutex *mutex) {
  return mutex->has_several_locks
             ? NULL
             : trace_lock_name(report->trace, (size_t)(mutex->lock >> 32), (uint32_t)mutex->lock);
}

const char *report_object_name(const struct report *report, const struct report_lock_object *object) {
  return trace_lock_name(report->trace, (size_t)(object->lock >> 32), (uint32_t)object->lock);
}

const char *report_object_text(char text[REPORT_OBJECT_BYTES], const struct report *report,
                               const struct report_lock_object *object) {
  const char *name = report_object_name(report, object);
  if (name)
    snprintf(text, REPORT_OBJECT_BYTES, "%.*s", REPORT_OBJECT_BYTES - 1, name);
  else if (object->address)
    snprintf(text, REPORT_OBJECT_BYTES, "the lock at 0x%" PRIx64, object->address);
  else
    snprintf(text, REPORT_OBJECT_BYTES, "lock %" PRIu32, (uint32_t)object->lock);
  return text;
}

/* -- events -- */

/* Whose time it was: a member's, or that of a task that any thread of the team could have run. */
static void assign_wait(struct collector *collector, const struct replay_lock_event *event,
                        struct report_mutex *mutex) {
  uint64_t ticks = collector_cut(collector, event->ticks) - collector_cut(collector, event->wanted_ticks);
  if (event->task->is_implicit && collector->locations[event->location].member_count > 0)
    phases_add_wait(collector, event, ticks);
  else
    mutex->outside += ticks;
}

static void count_wait(struct collector *collector, const struct replay_lock_event *event,
                       const struct lock_history *lock, struct report_mutex *mutex) {
  uint64_t wait = event->ticks - event->wanted_ticks;
  mutex->has_several_locks |= mutex->acquisitions > 0 && mutex->lock != event->lock;
  mutex->lock = event->lock;
  mutex->acquisitions++;
  if (wait > mutex->wait.max)
    mutex->longest_location = (uint32_t)event->location;
  spread_add(&mutex->wait, wait);
  scatter_add(&mutex->waits, (double)wait);
  if (wait > 0 && event->region != REPLAY_NONE)
    assign_wait(collector, event, mutex);
  struct lock_object *object = object_of(collector, event->region, event->lock);
  if (!object)
    return;
  bool is_contended = find_holders(collector, lock, object, event->wanted_ticks, event->ticks);
  mutex->contended += is_contended;
  object->counted.contended += is_contended;
  object->counted.acquisitions++;
  object->counted.address = lock->address;
  spread_add(&object->counted.wait, wait);
}

static bool had_to_wait(const struct lock_history *lock, uint64_t wanted) {
  if (lock->count == 0)
    return false;
  const struct lock_hold *last = &lock->holds[(lock->count - 1) % HOLDS];
  return last->released == 0 || last->released > wanted;
}

static void acquired(struct collector *collector, const struct replay_lock_event *event,
                     struct lock_history *lock) {
  struct report_mutex *mutex = collector_mutex(collector, event->region);
  struct live_task *live_task = live_task_of(collector, event->task);
  bool has_waited = had_to_wait(lock, event->wanted_ticks);
  if (mutex && collector_is_inside(collector, event->ticks))
    count_wait(collector, event, lock, mutex);
  if (live_task && has_waited)
    path_join(&collector->paths, &live_task->path, &lock->released);
  lock->holds[lock->count++ % HOLDS] = (struct lock_hold){.acquired = event->ticks,
                                                          .task = event->task->id,
                                                          .task_slot = event->task->slot,
                                                          .region = event->region,
                                                          .location = (uint32_t)event->location,
                                                          .order = event->order,
                                                          .has_waited = has_waited};
}

/* A release can be stamped as late as the next acquisition, or later: who waited for it goes on from here. */
static void release_hold(struct collector *collector, const struct replay_lock_event *event,
                         struct lock_history *lock, const struct live_task *live_task) {
  uint64_t oldest = lock->count > HOLDS ? lock->count - HOLDS : 0, i = lock->count;
  while (i-- > oldest) {
    struct lock_hold *hold = &lock->holds[i % HOLDS];
    if (hold->order != event->order || hold->released != 0)
      continue;
    hold->released = event->ticks;
    const struct lock_hold *next = i + 1 < lock->count ? &lock->holds[(i + 1) % HOLDS] : NULL;
    struct live_task *waiter =
        next && next->has_waited ? live_task_at(collector, next->task_slot, next->task) : NULL;
    if (waiter && live_task)
      path_join(&collector->paths, &waiter->path, &live_task->path);
    return;
  }
}

static void released(struct collector *collector, const struct replay_lock_event *event,
                     struct lock_history *lock) {
  struct report_mutex *mutex = collector_mutex(collector, event->region);
  struct live_task *live_task = live_task_of(collector, event->task);
  release_hold(collector, event, lock, live_task);
  if (mutex && collector_is_inside(collector, event->ticks)) {
    struct lock_object *object = object_of(collector, event->region, event->lock);
    spread_add(&mutex->hold, event->ticks - event->acquired_ticks);
    if (object)
      spread_add(&object->counted.hold, event->ticks - event->acquired_ticks);
  }
  if (live_task)
    path_join(&collector->paths, &lock->released, &live_task->path);
}

void locks_on_event(void *data, const struct replay_lock_event *event) {
  struct collector *collector = data;
  struct lock_history *lock = lock_at(collector, event->lock);
  if (!lock)
    return;
  lock->address = event->address ? event->address : lock->address;
  if (event->step == REPLAY_LOCK_ACQUIRED)
    acquired(collector, event, lock);
  else
    released(collector, event, lock);
}

static void free_items(struct pair_map *map) {
  for (size_t i = 0; i < map->capacity; i++)
    free(map->entries[i].value);
  pair_map_free(map);
}

void locks_free(struct collector *collector) {
  free_items(&collector->blamed);
  free_items(&collector->lock_objects);
  free_items(&collector->lock_blamed);
  pair_map_free(&collector->locks);
}
