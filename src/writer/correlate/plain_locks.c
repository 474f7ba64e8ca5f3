#include "writer/correlate/plain_locks.h"

#include "writer/correlate/frames.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/lock_kinds.h"
#include "writer/correlate/model.h"

/* What no record of a run changes. */
struct lock_run {
  struct correlator *c;
  struct traced_thread *thread;
  struct location *location;
  bool is_beside; /* others encode, too: only what is settled may be acquired */
};

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

static inline bool is_requested(const struct lock_run *run, const struct record_mutex_acquire *record,
                                uint64_t now) {
  struct correlator *c = run->c;
  struct traced_thread *thread = run->thread;
  struct location *location = run->location;
  enum construct construct = lock_construct(record->flags);
  if (record->more || thread->acquire_ticks ||
      !region_is_answered(c, construct, record->codeptr, lock_detail(record->hint, record->endpoint)))
    return false;
  uint32_t region = c->answers[construct].region;
  uint64_t layout = emitter_layout(c->emitter, region);
  if (!layout || !emit_has_room_for(location, now, 1) ||
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
static inline bool was_requested(const struct traced_thread *thread, const struct frame *top,
                                 const struct record_mutex_acquired *record) {
  enum frame_kind kind = lock_is_routine(record->kind) ? FRAME_LOCKING : FRAME_MUTEX;
  bool is_atomic = record->kind == OMPT_MUTEX_atomic;
  return top && frame_is_shown(top, kind) && top->wait_id == record->wait_id && !is_atomic &&
         thread->held_locks < thread->hold_capacity && !holds_lock(thread, record->wait_id);
}

/* The region of the construct's block; REGION_NONE: it was not entered before. */
static inline uint32_t block_of(struct correlator *c, const struct record_mutex_acquired *record) {
  enum construct block = lock_block(record->kind);
  return region_is_answered(c, block, record->codeptr, 0) ? c->answers[block].region : REGION_NONE;
}

/* 0: it has none yet. */
static inline uint32_t order_of(const struct lock_run *run, uint64_t id, const struct lock *lock,
                                bool *ret_is_settled) {
  uint32_t settled = acquisition_settled_order(&run->thread->acquisitions, id);
  *ret_is_settled = settled != 0;
  return settled || run->is_beside ? settled : lock->order + 1;
}

static inline bool write_acquired(const struct lock_run *run, const struct lock *lock, uint32_t order,
                                  uint64_t now, uint64_t after) {
  return order > 1 && emit_has_room_for(run->location, now, 2) &&
         event_writer_put_acquired(run->location->writer, now, lock->id, order, after);
}

static inline bool is_acquired(const struct lock_run *run, uint64_t id,
                               const struct record_mutex_acquired *record, uint64_t now) {
  struct correlator *c = run->c;
  struct traced_thread *thread = run->thread;
  const struct frame *top = top_of(thread);
  struct lock *lock = was_requested(thread, top, record) ? lock_find(c, record->wait_id) : NULL;
  if (!lock)
    return false;
  bool is_settled, is_short = top->kind == FRAME_LOCKING;
  uint32_t order = order_of(run, id, lock, &is_settled);
  uint32_t region = is_short ? top->region : block_of(c, record);
  uint64_t enter = emitter_layout(c->emitter, region),
           after = is_short ? event_layout_of_leave(enter) : enter;
  if (!enter || !write_acquired(run, lock, order, now, after))
    return false;
  emit_has_written_some(run->location, now, is_short ? EVENT_LEAVE : EVENT_ENTER, 2);
  if (!is_settled) /* else others may be looking at it (alone.h) */
    lock->order = order;
  thread->holds[thread->held_locks++] = (struct hold){.lock = lock,
                                                      .wait_id = record->wait_id,
                                                      .task = thread->current->id,
                                                      .order = order,
                                                      .region = is_short ? region : REGION_NONE};
  if (is_short) {
    thread->acquire_ticks = 0;
    thread->current->stack.count--;
  } else { /* what a routine has requested before goes on being requested */
    frame_push(c, thread->current, (struct frame){.kind = FRAME_SBLOCK, .region = region});
  }
  return true;
}

/* -- released -- */

/* Between an Enter or Leave and a Leave of these layouts. */
static inline bool end_hold(const struct lock_run *run, struct hold *hold, uint64_t now, uint64_t before,
                            uint64_t after) {
  if (hold->is_hidden || !before || !after || !emit_has_room_for(run->location, now, 3) ||
      !event_writer_put_released(run->location->writer, now, before, hold->lock->id, hold->order, after))
    return false;
  emit_has_written_some(run->location, now, EVENT_LEAVE, 3);
  hold_remove(run->thread, hold);
  return true;
}

static inline bool is_left(const struct lock_run *run, const struct record_mutex_released *record,
                           struct hold *hold, uint64_t now) {
  struct stack *stack = &run->thread->current->stack;
  const struct emitter *emitter = run->c->emitter;
  if (stack->count < 2)
    return false;
  const struct frame *block = top_of(run->thread), *mutex = block - 1;
  if (!frame_is_shown(block, FRAME_SBLOCK) || !frame_is_shown(mutex, FRAME_MUTEX) ||
      mutex->wait_id != record->wait_id ||
      !end_hold(run, hold, now, emitter_layout_of_leave(emitter, block->region),
                emitter_layout_of_leave(emitter, mutex->region)))
    return false;
  stack->count -= 2;
  return true;
}

static inline bool is_released(const struct lock_run *run, const struct record_mutex_released *record,
                               uint64_t now) {
  struct correlator *c = run->c;
  struct hold *hold = only_hold(run->thread, record->wait_id);
  if (!hold || run->thread->acquire_ticks)
    return false;
  if (!lock_is_routine(record->kind))
    return is_left(run, record, hold, now);
  enum construct construct = lock_construct_of_release(record->kind);
  if (!region_is_answered(c, construct, record->codeptr, 0))
    return false;
  uint64_t enter = emitter_layout(c->emitter, c->answers[construct].region);
  return enter && end_hold(run, hold, now, enter, event_layout_of_leave(enter));
}

/* -- records that follow each other -- */

static inline bool is_done(const struct lock_run *run, uint64_t id, const struct record *record,
                           uint64_t now) {
  switch (record->type) {
  case RECORD_mutex_acquire:
    return is_requested(run, (const struct record_mutex_acquire *)record, now);
  case RECORD_mutex_acquired:
    return is_acquired(run, id, (const struct record_mutex_acquired *)record, now);
  case RECORD_mutex_released:
    return is_released(run, (const struct record_mutex_released *)record, now);
  default:
    return false;
  }
}

uint64_t plain_locks(struct correlator *c, struct traced_thread *thread, uint64_t id,
                     const struct record *records, uint64_t n, uint64_t until, bool is_beside) {
  struct lock_run run = {c, thread, &thread->location, is_beside};
  uint64_t done = 0, now = thread->last_ticks;
  if (!may_write_some(c, thread))
    return 0;
  for (; done < n && records[done].ticks < until && !(records[done].flags & RECORD_FLAG_COUNTERS); done++) {
    const struct record *record = &records[done];
    now = record->ticks > now ? record->ticks : now;
    if (!is_done(&run, id + done, record, now))
      break;
  }
  return note_handled(
      c, thread, records, done,
      (const enum record_type[3]){RECORD_mutex_acquire, RECORD_mutex_acquired, RECORD_mutex_released});
}
