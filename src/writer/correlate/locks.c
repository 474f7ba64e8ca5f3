/* Critical sections, ordered, atomic and locks.
 *
 * `order` counts the acquisitions of a lock over all threads, which the merge makes possible; a release
 * carries its acquire's number and is found by lock, thread and task, because the runtime may report it after
 * the next owner's acquire. An untied task may take a lock to another thread; a program that is wrong lets
 * another thread or task release it. */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/definitions/lock_names.h"
#include "writer/definitions/regions.h"

enum {
  MUTEX_LOCK = OMPT_MUTEX_lock,
  MUTEX_TEST_LOCK = OMPT_MUTEX_test_lock,
  MUTEX_NEST_LOCK = OMPT_MUTEX_nest_lock,
  MUTEX_TEST_NEST_LOCK = OMPT_MUTEX_test_nest_lock,
  MUTEX_CRITICAL = OMPT_MUTEX_critical,
  MUTEX_ATOMIC = OMPT_MUTEX_atomic,
  MUTEX_ORDERED = OMPT_MUTEX_ordered,
};

struct hold {
  struct traced_thread *thread;
  uint64_t task; /* id; 0: unknown */
  uint32_t order;
  bool is_hidden;  /* acquired in a pause: not written yet, and without an order */
  uint32_t region; /* of the routine that set it; REGION_NONE: a construct did */
};

struct lock {
  uint32_t id;
  uint32_t order; /* of the last acquire */
  struct hold *holds;
  size_t count, capacity;
};

static bool is_routine(uint32_t kind) {
  return kind >= MUTEX_LOCK && kind <= MUTEX_TEST_NEST_LOCK;
}

static bool is_nestable(uint32_t kind) {
  return kind == MUTEX_NEST_LOCK || kind == MUTEX_TEST_NEST_LOCK;
}

static enum construct construct_of(uint32_t kind) {
  switch (kind) {
  case MUTEX_LOCK:
    return CONSTRUCT_set_lock;
  case MUTEX_TEST_LOCK:
    return CONSTRUCT_test_lock;
  case MUTEX_NEST_LOCK:
    return CONSTRUCT_set_nest_lock;
  case MUTEX_TEST_NEST_LOCK:
    return CONSTRUCT_test_nest_lock;
  case MUTEX_ATOMIC:
    return CONSTRUCT_atomic;
  case MUTEX_ORDERED:
    return CONSTRUCT_ordered;
  default:
    /* a lock event must stand in a region of a mutex's role, also of an unknown kind */
    return CONSTRUCT_critical;
  }
}

/* NULL if it was never acquired. What is asked for again and again is at hand. */
static struct lock *find_lock(struct correlator *c, uint64_t wait_id) {
  if (c->locks.last.value && c->locks.last.key == wait_id)
    return c->locks.last.value;
  c->locks.last = (struct map_entry){wait_id, map_get(&c->locks.by_wait_id, wait_id)};
  return c->locks.last.value;
}

static struct lock *lock_of(struct correlator *c, uint64_t wait_id) {
  struct lock *lock = find_lock(c, wait_id);
  if (lock)
    return lock;
  lock = memory_get(1, sizeof *lock);
  map_put(&c->locks.by_wait_id, wait_id, lock);
  return lock;
}

/* What the description of a mutex's region says: 1 + the implementation in the low half, the hint in the
 * high one. */
static uint32_t lock_detail(uint32_t hint, uint32_t impl) {
  return hint << 16 | ((impl + 1) & 0xffff);
}

void on_mutex_acquire(struct correlator *c, struct traced_thread *thread,
                      const struct record_mutex_acquire *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t kind = record->more ? (uint32_t)c->words[0] : record->flags;
  uint32_t impl = record->more ? (uint32_t)(c->words[0] >> 32) : record->endpoint;
  bool is_short = is_routine(kind);
  frame_enter(c, thread, thread->current, now,
              (struct frame){.kind = is_short ? FRAME_LOCKING : FRAME_MUTEX,
                             .detail = kind,
                             .wait_id = record->wait_id,
                             .region = region_at(c, thread, construct_of(kind), record->codeptr,
                                                 lock_detail(record->hint, impl))});
  thread->acquire_ticks = is_short ? now : 0;
}

bool lock_is_known(struct correlator *c, const struct record_mutex_acquire *record) {
  return region_is_known(c, construct_of(record->flags), record->codeptr,
                         lock_detail(record->hint, record->endpoint));
}

/* Where no lock event says which lock it was (wait_id is not 0), the Leave does. */
static void leave_locking(struct correlator *c, struct traced_thread *thread, uint64_t ticks,
                          uint64_t wait_id) {
  struct task *task = thread->current;
  struct frame *frame = frame_find(task, FRAME_LOCKING);
  thread->acquire_ticks = 0;
  if (!frame)
    return;
  size_t index = (size_t)(frame - task->stack.frames);
  struct event leave = {.ticks = ticks, .attribute = ATTRIBUTE_lock_address, .value = wait_id};
  frames_leave_above(c, thread, task, ticks, index + 1);
  if (wait_id)
    frame_leave_with(c, thread, task, &leave);
  else
    frame_leave(c, thread, task, ticks);
}

void lock_attempt_ends(struct correlator *c, struct traced_thread *thread) {
  const struct frame *frame = frame_find(thread->current, FRAME_LOCKING);
  leave_locking(c, thread, thread->acquire_ticks, frame ? frame->wait_id : 0);
}

static bool is_held_here(const struct lock *lock, const struct traced_thread *thread) {
  for (size_t i = 0; lock && i < lock->count; i++)
    if (lock->holds[i].thread == thread && lock->holds[i].task == thread->current->id)
      return true;
  return false;
}

static void write_acquire(struct correlator *c, struct lock *lock, uint64_t wait_id, struct hold *hold,
                          uint64_t now) {
  hold->is_hidden = false;
  hold->order = ++lock->order;
  struct event event = {.kind = EVENT_ACQUIRE_LOCK, .ticks = now, .order = hold->order};
  if (lock->order == 1) {
    lock->id = c->locks.count++;
    event.attribute = ATTRIBUTE_lock_address;
    event.value = wait_id;
    if (c->lock_names)
      lock_names_add(c->lock_names, lock->id, wait_id);
  }
  event.lock = lock->id;
  emit_event(c, hold->thread, &event);
}

static void acquire(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint32_t region,
                    uint64_t now) {
  struct lock *lock = lock_of(c, wait_id);
  memory_grow(&lock->holds, &lock->capacity, lock->count + 1, sizeof *lock->holds);
  struct hold *hold = &lock->holds[lock->count++];
  thread->held_locks++;
  *hold = (struct hold){
      .thread = thread, .task = thread->current->id, .is_hidden = c->is_paused, .region = region};
  if (!hold->is_hidden)
    write_acquire(c, lock, wait_id, hold, now);
}

static struct hold *hidden_hold(struct lock *lock, const struct traced_thread *thread) {
  for (size_t i = 0; lock && i < lock->count; i++)
    if (lock->holds[i].thread == thread && lock->holds[i].is_hidden)
      return &lock->holds[i];
  return NULL;
}

void lock_show(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint64_t ticks) {
  struct lock *lock = map_get(&c->locks.by_wait_id, wait_id);
  struct hold *hold = hidden_hold(lock, thread);
  if (hold)
    write_acquire(c, lock, wait_id, hold, ticks);
}

void locks_show(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->locks.by_wait_id, &position));) {
    struct hold *hold = hidden_hold(entry->value, thread);
    if (!hold || hold->region == REGION_NONE)
      continue;
    uint32_t region = hold->region;
    emit_enter(c, thread, ticks, region);
    write_acquire(c, entry->value, entry->key, hold, ticks);
    emit_leave(c, thread, ticks, region);
  }
}

static struct frame *mutex_frame(struct task *task, uint64_t wait_id) {
  for (size_t i = task->stack.count; i-- > 0;)
    if (task->stack.frames[i].kind == FRAME_MUTEX && task->stack.frames[i].wait_id == wait_id)
      return &task->stack.frames[i];
  return NULL;
}

/* An acquired without its acquire: the region begins here. */
static void begin_unseen(struct correlator *c, struct traced_thread *thread, uint32_t kind, uint64_t wait_id,
                         uint64_t codeptr, uint64_t now) {
  struct frame *top =
      thread->current->stack.count ? &thread->current->stack.frames[thread->current->stack.count - 1] : NULL;
  enum frame_kind wanted = is_routine(kind) ? FRAME_LOCKING : FRAME_MUTEX;
  if (top && top->kind == wanted && top->wait_id == wait_id)
    return;
  frame_enter(c, thread, thread->current, now,
              (struct frame){.kind = wanted,
                             .detail = kind,
                             .wait_id = wait_id,
                             .region = region_at(c, thread, construct_of(kind), codeptr, 0)});
}

void on_mutex_acquired(struct correlator *c, struct traced_thread *thread,
                       const struct record_mutex_acquired *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (is_held_here(find_lock(c, record->wait_id), thread)) {
    c->ignored_ends++; /* said twice */
    return;
  }
  begin_unseen(c, thread, record->kind, record->wait_id, record->codeptr, now);
  const struct frame *locking = is_routine(record->kind) ? frame_find(thread->current, FRAME_LOCKING) : NULL;
  acquire(c, thread, record->wait_id, locking ? locking->region : REGION_NONE, now);
  if (is_routine(record->kind)) {
    leave_locking(c, thread, now, 0);
    return;
  }
  if (record->kind == MUTEX_ATOMIC)
    return;
  enum construct sblock =
      record->kind == MUTEX_ORDERED ? CONSTRUCT_ordered_sblock : CONSTRUCT_critical_sblock;
  frame_enter(
      c, thread, thread->current, now,
      (struct frame){.kind = FRAME_SBLOCK, .region = region_at(c, thread, sblock, record->codeptr, 0)});
}

/* Ends the hold, with an event on this thread. */
static void end_hold(struct correlator *c, struct traced_thread *thread, struct lock *lock, struct hold *hold,
                     struct event *release) {
  release->kind = EVENT_RELEASE_LOCK;
  release->lock = lock->id;
  release->order = hold->order;
  if (!hold->is_hidden)
    emit_event(c, thread, release);
  hold->thread->held_locks--;
  *hold = lock->holds[--lock->count];
}

/* The thread's hold; NULL if it has none, or the lock (NULL) was never acquired. */
static struct hold *hold_of_thread(struct lock *lock, const struct traced_thread *thread) {
  for (size_t i = lock ? lock->count : 0; i-- > 0;)
    if (lock->holds[i].thread == thread)
      return &lock->holds[i];
  return NULL;
}

/* How surely it is what a release on the thread ends. */
static unsigned fit_of(const struct hold *hold, const struct traced_thread *thread) {
  bool is_same_task = hold->task != 0 && hold->task == thread->current->id;
  return (hold->thread == thread ? 2 : 0) + (is_same_task ? 1 : 0);
}

/* The hold that a routine on this thread releases: its own, its task's from another thread, else the oldest
 * one, which somebody else acquired. NULL: nobody holds it; or nobody here, and this thread may have acquired
 * it while its events were dropped. */
static struct hold *released_hold(struct lock *lock, const struct traced_thread *thread) {
  struct hold *best = NULL;
  for (size_t i = 0; lock && i < lock->count; i++) {
    struct hold *hold = &lock->holds[i];
    unsigned fit = fit_of(hold, thread), best_fit = best ? fit_of(best, thread) : 0;
    if (!best || fit > best_fit || (fit == best_fit && hold->order < best->order))
      best = hold;
  }
  return best && thread->has_gap && fit_of(best, thread) == 0 ? NULL : best;
}

/* Without ThreadReleaseLock, where nobody holds it: then the Enter tells which lock it is. */
static void release_routine(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_released *record, uint64_t now) {
  struct lock *lock = find_lock(c, record->wait_id);
  struct hold *hold = released_hold(lock, thread);
  enum construct construct = is_nestable(record->kind) ? CONSTRUCT_unset_nest_lock : CONSTRUCT_unset_lock;
  uint32_t region = region_at(c, thread, construct, record->codeptr, 0);
  bool is_written = !c->is_paused || (hold && !hold->is_hidden);
  if (is_written && hold)
    emit_enter(c, thread, now, region);
  else if (is_written)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_ENTER,
                               .ticks = now,
                               .attribute = ATTRIBUTE_lock_address,
                               .value = record->wait_id,
                               .region = region});
  if (hold)
    end_hold(c, thread, lock, hold, &(struct event){.ticks = now});
  if (is_written)
    emit_leave(c, thread, now, region);
}

/* Of a construct, which only the thread that is in it can leave. */
static bool release(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint64_t now) {
  struct lock *lock = find_lock(c, wait_id);
  struct hold *hold = hold_of_thread(lock, thread);
  if (hold)
    end_hold(c, thread, lock, hold, &(struct event){.ticks = now});
  return hold != NULL;
}

void on_mutex_released(struct correlator *c, struct traced_thread *thread,
                       const struct record_mutex_released *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct task *task = thread->current;
  struct frame *frame = is_routine(record->kind) ? NULL : mutex_frame(task, record->wait_id);
  if (is_routine(record->kind)) {
    release_routine(c, thread, record, now);
  } else if (frame) {
    size_t index = (size_t)(frame - task->stack.frames);
    frames_leave_above(c, thread, task, now, index + 1);
    release(c, thread, record->wait_id, now);
    frame_leave(c, thread, task, now);
  } else if (!release(c, thread, record->wait_id, now)) {
    c->ignored_ends++;
  }
}

/* -- life of a lock -- */

void on_lock_init(struct correlator *c, struct traced_thread *thread, const struct record_lock_init *record) {
  uint32_t kind = record->more ? (uint32_t)c->words[0] : record->flags;
  uint32_t impl = record->more ? (uint32_t)(c->words[0] >> 32) : record->endpoint;
  enum construct construct = is_nestable(kind) ? CONSTRUCT_init_nest_lock : CONSTRUCT_init_lock;
  emit_point(c, thread,
             &(struct event){
                 .ticks = thread_now(c, thread, record->ticks),
                 .region = region_at(c, thread, construct, record->codeptr, lock_detail(record->hint, impl)),
                 .attribute = ATTRIBUTE_lock_address,
                 .value = record->wait_id});
}

/* Another lock may come to lie at the address: it will be a new one. */
void on_lock_destroy(struct correlator *c, struct traced_thread *thread,
                     const struct record_lock_destroy *record) {
  enum construct construct = is_nestable(record->kind) ? CONSTRUCT_destroy_nest_lock : CONSTRUCT_destroy_lock;
  emit_point(c, thread,
             &(struct event){.ticks = thread_now(c, thread, record->ticks),
                             .region = region_at(c, thread, construct, record->codeptr, 0),
                             .attribute = ATTRIBUTE_lock_address,
                             .value = record->wait_id});
  struct lock *lock = map_get(&c->locks.by_wait_id, record->wait_id);
  if (!lock || lock->count)
    return;
  c->locks.last.value = NULL;
  map_remove(&c->locks.by_wait_id, record->wait_id);
  free(lock->holds);
  free(lock);
}

/* Set once more by its owner: no new acquisition. Unset and still held: a point. */
void on_nest_lock(struct correlator *c, struct traced_thread *thread, const struct record_nest_lock *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (record->endpoint & ENDPOINT_BEGIN)
    leave_locking(c, thread, now, record->wait_id);
  if (record->endpoint & ENDPOINT_END)
    emit_point(c, thread,
               &(struct event){.ticks = now,
                               .region = region_at(c, thread, CONSTRUCT_unset_nest_lock, record->codeptr, 0),
                               .attribute = ATTRIBUTE_lock_address,
                               .value = record->wait_id});
}

/* What the program did not release, the writer does. */
static void add_releases(struct correlator *c, struct traced_thread *thread, struct lock *lock,
                         uint64_t ticks) {
  for (struct hold *hold; (hold = hold_of_thread(lock, thread)) != NULL;)
    end_hold(c, thread, lock, hold,
             &(struct event){.ticks = ticks, .attribute = ATTRIBUTE_added, .value = 1});
}

void locks_release_all(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t wait_id) {
  if (wait_id) {
    add_releases(c, thread, map_get(&c->locks.by_wait_id, wait_id), ticks);
    return;
  }
  size_t position = 0;
  for (struct map_entry *entry; thread->held_locks && (entry = map_next(&c->locks.by_wait_id, &position));)
    add_releases(c, thread, entry->value, ticks);
}

bool lock_awaited(struct correlator *c, const struct frame *top, struct event *leave) {
  uint32_t number;
  bool is_wanted = top->kind == FRAME_LOCKING || (top->kind == FRAME_MUTEX && top->detail != MUTEX_ATOMIC);
  if (!is_wanted)
    return false;
  bool is_known = lock_number(c, top->wait_id, &number);
  leave->attribute = is_known ? ATTRIBUTE_wait_lock : ATTRIBUTE_wait_id;
  leave->value = is_known ? number : top->wait_id;
  return true;
}

bool lock_number(struct correlator *c, uint64_t wait_id, uint32_t *ret) {
  const struct lock *lock = map_get(&c->locks.by_wait_id, wait_id);
  if (lock)
    *ret = lock->id;
  return lock != NULL;
}

void locks_free(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->locks.by_wait_id, &position));) {
    free(((struct lock *)entry->value)->holds);
    free(entry->value);
  }
  c->locks.last.value = NULL;
  map_clear(&c->locks.by_wait_id);
}
