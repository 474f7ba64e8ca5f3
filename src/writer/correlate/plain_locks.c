#include "writer/correlate/plain_locks.h"

#include "writer/correlate/frames.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/lock_kinds.h"
#include "writer/correlate/model.h"

static inline struct frame *top_of(const struct traced_thread *thread) {
  const struct stack *stack = &thread->current->stack;
  return stack->count ? &stack->frames[stack->count - 1] : NULL;
}

static inline bool holds_lock(const struct traced_thread *thread, uint64_t wait_id) {
  for (size_t i = thread->held_locks; i-- > 0;)
    if (thread->holds[i].wait_id == wait_id)
      return true;
  return false;
}

/* The thread's only hold of the lock. NULL: there are none, or several. */
static inline struct hold *only_hold(const struct traced_thread *thread, uint64_t wait_id) {
  struct hold *found = NULL;
  for (size_t i = thread->held_locks; i-- > 0;) {
    if (thread->holds[i].wait_id != wait_id)
      continue;
    if (found)
      return NULL;
    found = &thread->holds[i];
  }
  return found;
}

/* -- requested -- */

bool plain_lock_is_requested(struct correlator *c, struct traced_thread *thread,
                             const struct record_mutex_acquire *record) {
  struct location *location = &thread->location;
  enum construct construct = lock_construct(record->flags);
  if (record->more || thread->acquire_ticks ||
      !region_is_answered(c, construct, record->codeptr, lock_detail(record->hint, record->endpoint)))
    return false;
  uint32_t region = c->answers[construct].region;
  uint64_t layout = emitter_layout(c->emitter, region), now = thread_now(c, thread, record->ticks);
  if (!layout || !may_write_all(c, thread, now, 1) ||
      !event_writer_put_layout(location->writer, now, layout, false))
    return false;
  emit_has_written(location, now, EVENT_ENTER);
  bool is_short = lock_is_routine(record->flags);
  frame_push(c, thread->current,
             (struct frame){.kind = is_short ? FRAME_LOCKING : FRAME_MUTEX,
                            .detail = record->flags,
                            .wait_id = record->wait_id,
                            .region = region});
  thread->acquire_ticks = is_short ? now : 0;
  return true;
}

/* -- acquired -- */

/* It was requested by what the thread does now, and may be held. */
static inline bool is_requested(const struct traced_thread *thread, const struct frame *top,
                                const struct record_mutex_acquired *record) {
  enum frame_kind kind = lock_is_routine(record->kind) ? FRAME_LOCKING : FRAME_MUTEX;
  bool is_atomic = record->kind == OMPT_MUTEX_atomic;
  return top && top->kind == kind && top->wait_id == record->wait_id && !top->is_hidden && !is_atomic &&
         thread->held_locks < thread->hold_capacity && !holds_lock(thread, record->wait_id);
}

/* The region of the construct's block; REGION_NONE: it was not entered before. */
static inline uint32_t block_of(struct correlator *c, const struct record_mutex_acquired *record) {
  enum construct block = lock_block(record->kind);
  return region_is_answered(c, block, record->codeptr, 0) ? c->answers[block].region : REGION_NONE;
}

static inline bool write_acquired(struct correlator *c, struct traced_thread *thread, const struct lock *lock,
                                  uint32_t order, uint64_t now, uint64_t after) {
  return order != 1 && may_write_all(c, thread, now, 2) &&
         event_writer_put_acquired(thread->location.writer, now, lock->id, order, after);
}

bool plain_lock_is_acquired(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_acquired *record) {
  const struct frame *top = top_of(thread);
  struct lock *lock = is_requested(thread, top, record) ? lock_find(c, record->wait_id) : NULL;
  if (!lock)
    return false;
  bool is_short = top->kind == FRAME_LOCKING;
  uint32_t region = is_short ? top->region : block_of(c, record);
  uint32_t settled = acquisition_settled_order(&thread->acquisitions, c->record_id);
  uint32_t order = settled ? settled : lock->order + 1;
  uint64_t now = thread_now(c, thread, record->ticks);
  uint64_t enter = emitter_layout(c->emitter, region),
           after = is_short ? event_layout_of_leave(enter) : enter;
  if (!enter || !write_acquired(c, thread, lock, order, now, after))
    return false;
  emit_has_written_some(&thread->location, now, is_short ? EVENT_LEAVE : EVENT_ENTER, 2);
  if (!settled) /* else others may be looking at it (alone.h) */
    lock->order = order;
  thread->holds[thread->held_locks++] = (struct hold){.lock = lock,
                                                      .wait_id = record->wait_id,
                                                      .task = thread->current->id,
                                                      .order = order,
                                                      .region = is_short ? region : REGION_NONE};
  thread->acquire_ticks = 0;
  if (is_short)
    thread->current->stack.count--;
  else
    frame_push(c, thread->current, (struct frame){.kind = FRAME_SBLOCK, .region = region});
  return true;
}

/* -- released -- */

static inline bool end_hold(struct correlator *c, struct traced_thread *thread, struct hold *hold,
                            uint64_t ticks, uint64_t before, uint64_t after) {
  uint64_t now = thread_now(c, thread, ticks);
  return hold_end_between(c, thread, (struct owned_hold){thread, hold}, now, before, after);
}

static bool is_left(struct correlator *c, struct traced_thread *thread,
                    const struct record_mutex_released *record, struct hold *hold) {
  struct stack *stack = &thread->current->stack;
  if (stack->count < 2)
    return false;
  const struct frame *block = top_of(thread), *mutex = block - 1;
  if (block->kind != FRAME_SBLOCK || block->is_hidden || mutex->kind != FRAME_MUTEX ||
      mutex->wait_id != record->wait_id || mutex->is_hidden ||
      !end_hold(c, thread, hold, record->ticks, emitter_layout_of_leave(c->emitter, block->region),
                emitter_layout_of_leave(c->emitter, mutex->region)))
    return false;
  stack->count -= 2;
  return true;
}

bool plain_lock_is_released(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_released *record) {
  struct hold *hold = only_hold(thread, record->wait_id);
  if (!hold || thread->acquire_ticks)
    return false;
  if (!lock_is_routine(record->kind))
    return is_left(c, thread, record, hold);
  enum construct construct = lock_construct_of_release(record->kind);
  if (!region_is_answered(c, construct, record->codeptr, 0))
    return false;
  uint64_t enter = emitter_layout(c->emitter, c->answers[construct].region);
  return enter && end_hold(c, thread, hold, record->ticks, enter, event_layout_of_leave(enter));
}
