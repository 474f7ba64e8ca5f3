/* Events of a thread: their time, the short ways to emit them, and those of the end of a barrier that was
 * perhaps its region's last, which wait until that is known. */
#ifndef STAVE_WRITER_CORRELATE_THREAD_EVENTS_H
#define STAVE_WRITER_CORRELATE_THREAD_EVENTS_H

#include "ompt/values.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/counters.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/model.h"

/* The record's time, never before the thread's last one. */
static inline uint64_t thread_now(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  if (ticks < thread->last_ticks)
    ticks = thread->last_ticks;
  if (ticks < c->first_ticks)
    c->first_ticks = ticks;
  if (ticks > c->last_ticks)
    c->last_ticks = ticks;
  return thread->last_ticks = ticks;
}

static inline void emit_on(struct correlator *correlator, struct location *location,
                           const struct event *event) {
  if (!location->writer)
    return;
  correlator->figures.closed_by_writer += correlator->is_closing;
  emit(correlator->emitter, location, event);
}
static inline void emit_event(struct correlator *correlator, struct traced_thread *thread,
                              const struct event *event) {
  if (correlator->counting.thread == thread)
    counters_put(correlator, thread, event);
  emit_on(correlator, &thread->location, event);
}

/* An Enter or Leave without attributes that emit_plain does not do. */
void emit_slowly(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint32_t region,
                 enum event_kind kind);
static inline void emit_region(struct correlator *c, struct traced_thread *thread, uint64_t ticks,
                               uint32_t region, enum event_kind kind) {
  if (c->counting.thread || c->is_closing || !emit_plain(c->emitter, &thread->location, ticks, region, kind))
    emit_slowly(c, thread, ticks, region, kind);
}

void emit_enter(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks, uint32_t region);
void emit_leave(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks, uint32_t region);

/* Whether all that becomes of a record may be written by one call (event_writer.h), where there is room. */
static inline bool may_write_some(const struct correlator *c, const struct traced_thread *thread) {
  return !c->counting.thread && !c->is_closing && !c->is_paused && emit_may_write_some(&thread->location);
}

/* And there is room: `count` events of its time, without attributes. */
static inline bool may_write_all(const struct correlator *c, const struct traced_thread *thread,
                                 uint64_t ticks, unsigned count) {
  return may_write_some(c, thread) && emit_has_room_for(&thread->location, ticks, count);
}

/* Of a thread's records that follow each other the first `count` were handled, and written; they are of three
 * types. Returns count. (Counted in registers: a count in memory waits for the one before it.) */
static inline uint64_t note_handled(struct correlator *c, struct traced_thread *thread,
                                    const struct record *records, uint64_t count,
                                    const enum record_type types[3]) {
  uint64_t first = 0, second = 0;
  if (count == 0)
    return 0;
  for (uint64_t i = 0; i < count; i++) {
    first += records[i].type == types[0];
    second += records[i].type == types[1];
  }
  c->records += count;
  c->records_by_type[types[0]] += first;
  c->records_by_type[types[1]] += second;
  c->records_by_type[types[2]] += count - first - second;
  thread_now(c, thread, records[0].ticks);
  thread_now(c, thread, thread->location.written_ticks);
  return count;
}

/* A point: Enter and Leave at the same time, of event->region; its attributes go on the Enter. */
void emit_point_on(struct correlator *correlator, struct location *location, const struct event *event);
static inline void emit_point(struct correlator *correlator, struct traced_thread *thread,
                              const struct event *event) {
  emit_point_on(correlator, &thread->location, event);
}

/* -- what is undecided -- */

/* The kinds that can be a region's last barrier; before libomp 19 all implicit ones are one kind. */
static inline bool may_end_region(uint32_t kind) {
  return kind == OMPT_SYNC_REGION_barrier_implicit || kind == OMPT_SYNC_REGION_barrier_implicit_parallel;
}

/* The barrier right inside a worker's parallel region, which may turn out to be the last. */
static inline bool is_undecided(const struct traced_thread *thread, const struct frame *barrier) {
  const struct task *task = thread->current;
  return task->is_implicit && !task->is_initial && task->team && thread != task->team->primary &&
         may_end_region(barrier->detail) && barrier == &task->stack.frames[1];
}

/* Writes, or drops into the end of the team, the Leaves of a barrier that was perhaps the region's last. */
void undecided_write(struct correlator *correlator, struct traced_thread *thread, struct team *end_of);
/* One more: the Leave of a barrier is marked as late, what the tool records of itself is not. */
void undecided_put(struct correlator *correlator, struct traced_thread *thread, const struct event *event);
/* What the tool records of itself, and the thread has not done: it decides nothing. */
void emit_own(struct correlator *correlator, struct traced_thread *thread, const struct event *event);
static inline void undecided_flush(struct correlator *correlator, struct traced_thread *thread,
                                   struct team *end_of) {
  if (thread->undecided_count)
    undecided_write(correlator, thread, end_of);
}

#endif
