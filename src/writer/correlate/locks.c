/* Critical sections, ordered, atomic and locks.
 *
 * `order` counts the acquisitions of a lock over all threads, which the merge makes possible; a release
 * carries its acquire's number and is found by lock, thread and task, because the runtime may report it after
 * the next owner's acquire. An untied task may carry a lock to another thread; a program that is wrong lets
 * another thread or task release it. */
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/lock_kinds.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/definitions/regions.h"

static struct lock *lock_of(struct correlator *c, uint64_t wait_id) {
  struct lock *lock = lock_find(c, wait_id);
  if (lock)
    return lock;
  lock = memory_get(1, sizeof *lock);
  map_put(&c->locks.by_wait_id, wait_id, lock);
  return lock;
}

void on_mutex_acquire(struct correlator *c, struct traced_thread *thread,
                      const struct record_mutex_acquire *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t kind = record->more ? (uint32_t)c->words[0] : record->flags;
  uint32_t impl = record->more ? (uint32_t)(c->words[0] >> 32) : record->endpoint;
  bool is_short = lock_is_routine(kind);
  frame_enter(c, thread, thread->current, now,
              (struct frame){.kind = is_short ? FRAME_LOCKING : FRAME_MUTEX,
                             .detail = kind,
                             .wait_id = record->wait_id,
                             .region = region_at(c, thread, lock_construct(kind), record->codeptr,
                                                 lock_detail(record->hint, impl))});
  thread->acquire_ticks = is_short ? now : 0;
}

/* Where no lock event reports which lock it was (wait_id is not 0), the Leave does. */
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
  for (size_t i = 0; lock && i < thread->held_locks; i++)
    if (thread->holds[i].lock == lock && thread->holds[i].task == thread->current->id)
      return true;
  return false;
}

/* Still to be written, unless it is hidden. */
static struct hold *acquire(struct correlator *c, struct traced_thread *thread, struct lock *lock,
                            uint64_t wait_id, uint32_t region) {
  array_reserve_apart(&thread->holds, &thread->hold_capacity, thread->held_locks + (size_t)1,
                      sizeof *thread->holds);
  struct hold *hold = &thread->holds[thread->held_locks++];
  *hold = (struct hold){.lock = lock,
                        .wait_id = wait_id,
                        .task = thread->current->id,
                        .order = acquisition_order(&thread->acquisitions, c->record_id),
                        .is_hidden = c->is_paused,
                        .region = region};
  return hold;
}

static struct frame *top_frame(const struct traced_thread *thread) {
  const struct stack *stack = &thread->current->stack;
  return stack->count ? &stack->frames[stack->count - 1] : NULL;
}

/* The routine has set the lock, and its region is left. */
static void write_set(struct correlator *c, struct traced_thread *thread, struct hold *hold, uint64_t now) {
  if (!hold->is_hidden)
    hold_write(c, thread, hold, now);
  leave_locking(c, thread, now, 0);
}

/* The thread is in the construct's block. */
static void write_block(struct correlator *c, struct traced_thread *thread, struct hold *hold, uint64_t now,
                        enum construct block, uint64_t codeptr) {
  if (!hold->is_hidden)
    hold_write(c, thread, hold, now);
  frame_enter(c, thread, thread->current, now,
              (struct frame){.kind = FRAME_SBLOCK, .region = region_at(c, thread, block, codeptr, 0)});
}

void locks_show(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  for (size_t i = 0; i < thread->held_locks; i++) {
    struct hold *hold = &thread->holds[i];
    if (!hold->is_hidden || hold->region == REGION_NONE)
      continue;
    emit_enter(c, thread, ticks, hold->region);
    hold_write(c, thread, hold, ticks);
    emit_leave(c, thread, ticks, hold->region);
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
  enum frame_kind expected = lock_is_routine(kind) ? FRAME_LOCKING : FRAME_MUTEX;
  if (top && top->kind == expected && top->wait_id == wait_id)
    return;
  frame_enter(c, thread, thread->current, now,
              (struct frame){.kind = expected,
                             .detail = kind,
                             .wait_id = wait_id,
                             .region = region_at(c, thread, lock_construct(kind), codeptr, 0)});
}

void on_mutex_acquired(struct correlator *c, struct traced_thread *thread,
                       const struct record_mutex_acquired *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct lock *lock = lock_of(c, record->wait_id);
  if (is_held_here(lock, thread)) {
    c->ignored_ends++; /* reported twice */
    return;
  }
  begin_unseen(c, thread, record->kind, record->wait_id, record->codeptr, now);
  const struct frame *locking =
      lock_is_routine(record->kind) ? frame_find(thread->current, FRAME_LOCKING) : NULL;
  struct hold *hold = acquire(c, thread, lock, record->wait_id, locking ? locking->region : REGION_NONE);
  if (lock_is_routine(record->kind))
    write_set(c, thread, hold, now);
  else if (record->kind != OMPT_MUTEX_atomic)
    write_block(c, thread, hold, now, lock_block(record->kind), record->codeptr);
  else if (!hold->is_hidden)
    hold_write(c, thread, hold, now);
}

/* The thread's hold, of those the latest; none if the lock (NULL) was never acquired. */
static struct owned_hold hold_of_thread(const struct lock *lock, struct traced_thread *thread) {
  for (size_t i = lock ? thread->held_locks : 0; i-- > 0;)
    if (thread->holds[i].lock == lock)
      return (struct owned_hold){thread, &thread->holds[i]};
  return (struct owned_hold){0};
}

/* How surely it is what a release on the thread ends. */
static unsigned fit_of(const struct owned_hold *held, const struct traced_thread *thread) {
  bool is_same_task = held->hold->task != 0 && held->hold->task == thread->current->id;
  return (held->owner == thread ? 2 : 0) + (is_same_task ? 1 : 0);
}

static bool fits_better(const struct owned_hold *held, const struct owned_hold *best,
                        const struct traced_thread *thread) {
  if (!best->hold)
    return true;
  unsigned fit = fit_of(held, thread), best_fit = fit_of(best, thread);
  return fit > best_fit || (fit == best_fit && held->hold->order < best->hold->order);
}

static void look_among(struct traced_thread *owner, const struct lock *lock,
                       const struct traced_thread *thread, struct owned_hold *best) {
  for (size_t i = 0; i < owner->held_locks; i++) {
    struct owned_hold held = {owner, &owner->holds[i]};
    if (held.hold->lock == lock && fits_better(&held, best, thread))
      *best = held;
  }
}

/* Threads release what they hold when they end, but for the first. */
static struct owned_hold hold_of_others(struct correlator *c, const struct lock *lock,
                                        const struct traced_thread *thread) {
  struct owned_hold best = {0};
  for (size_t slot = 0; slot < c->by_slot_capacity; slot++)
    if (c->by_slot[slot] && c->by_slot[slot] != c->primary)
      look_among(c->by_slot[slot], lock, thread, &best);
  if (c->primary)
    look_among(c->primary, lock, thread, &best);
  return best;
}

/* The hold that a routine on this thread releases: its own, its task's from another thread, else the oldest
 * one, which somebody else acquired. None: nobody holds it; or nobody here, and this thread may have acquired
 * it while its events were dropped. */
static struct owned_hold released_hold(struct correlator *c, const struct lock *lock,
                                       struct traced_thread *thread) {
  struct owned_hold best = {0};
  if (!lock)
    return best;
  look_among(thread, lock, thread, &best);
  if (best.hold)
    return best;
  best = hold_of_others(c, lock, thread);
  return best.hold && thread->has_gap && fit_of(&best, thread) == 0 ? (struct owned_hold){0} : best;
}

/* Without ThreadReleaseLock, where nobody holds it: then the Enter shows which lock it is. */
static void release_routine(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_released *record, uint64_t now) {
  struct owned_hold held = released_hold(c, lock_find(c, record->wait_id), thread);
  const struct hold *hold = held.hold;
  uint32_t region = region_at(c, thread, lock_construct_of_release(record->kind), record->codeptr, 0);
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
    hold_end(c, thread, held, &(struct event){.ticks = now});
  if (is_written)
    emit_leave(c, thread, now, region);
}

/* Of a construct, which only the thread that is in it can leave. */
static bool release(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint64_t now) {
  struct owned_hold held = hold_of_thread(lock_find(c, wait_id), thread);
  if (held.hold)
    hold_end(c, thread, held, &(struct event){.ticks = now});
  return held.hold != NULL;
}

void on_mutex_released(struct correlator *c, struct traced_thread *thread,
                       const struct record_mutex_released *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct task *task = thread->current;
  struct frame *frame = lock_is_routine(record->kind) ? NULL : mutex_frame(task, record->wait_id);
  if (lock_is_routine(record->kind)) {
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
  enum construct construct = lock_is_nestable(kind) ? CONSTRUCT_init_nest_lock : CONSTRUCT_init_lock;
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
  enum construct construct =
      lock_is_nestable(record->kind) ? CONSTRUCT_destroy_nest_lock : CONSTRUCT_destroy_lock;
  emit_point(c, thread,
             &(struct event){.ticks = thread_now(c, thread, record->ticks),
                             .region = region_at(c, thread, construct, record->codeptr, 0),
                             .attribute = ATTRIBUTE_lock_address,
                             .value = record->wait_id});
  struct lock *lock = map_get(&c->locks.by_wait_id, record->wait_id);
  if (!lock || hold_of_others(c, lock, thread).hold)
    return;
  c->locks.last.value = NULL;
  map_remove(&c->locks.by_wait_id, record->wait_id);
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

/* -- what concerns a thread alone -- */

bool lock_next_order(struct correlator *c, uint64_t wait_id, uint32_t *ret) {
  struct lock *lock = lock_find(c, wait_id);
  if (!lock || lock->order == 0)
    return false;
  *ret = ++lock->order;
  return true;
}

bool lock_acquire_is_alone(struct correlator *c, const struct traced_thread *thread,
                           const struct record_mutex_acquire *record) {
  return !thread->acquire_ticks && region_is_known(c, lock_construct(record->flags), record->codeptr,
                                                   lock_detail(record->hint, record->endpoint));
}

bool lock_acquired_is_alone(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_acquired *record, uint64_t id) {
  const struct frame *top = top_frame(thread);
  bool is_short = lock_is_routine(record->kind);
  return top && top->kind == (is_short ? FRAME_LOCKING : FRAME_MUTEX) && top->wait_id == record->wait_id &&
         acquisition_is_settled(&thread->acquisitions, id) &&
         (is_short || record->kind == OMPT_MUTEX_atomic ||
          region_is_known(c, lock_block(record->kind), record->codeptr, 0));
}

/* Of a construct: nothing is open in it but its block. */
static bool is_in_mutex(const struct traced_thread *thread, uint64_t wait_id) {
  const struct stack *stack = &thread->current->stack;
  const struct frame *top = top_frame(thread);
  if (top && top->kind == FRAME_SBLOCK && stack->count > 1)
    top--;
  return top && top->kind == FRAME_MUTEX && top->wait_id == wait_id;
}

bool lock_released_is_alone(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_released *record) {
  const struct lock *lock = lock_find(c, record->wait_id);
  if (thread->acquire_ticks || !hold_of_thread(lock, thread).hold)
    return false;
  return lock_is_routine(record->kind)
             ? region_is_known(c, lock_construct_of_release(record->kind), record->codeptr, 0)
             : is_in_mutex(thread, record->wait_id);
}

/* -- at the end -- */

void locks_free(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->locks.by_wait_id, &position));)
    free(entry->value);
  c->locks.last.value = NULL;
  map_clear(&c->locks.by_wait_id);
}
