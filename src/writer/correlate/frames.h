/* What all subjects build on: time and events of a thread, the stack of open regions of a task, the team in
 * which a thread works. */
#ifndef STAVE_WRITER_CORRELATE_FRAMES_H
#define STAVE_WRITER_CORRELATE_FRAMES_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/counters.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause.h"
#include "writer/definitions/regions.h"

/* The record's time, never before the thread's last one. */
static inline uint64_t thread_now(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  ticks = ticks < thread->last_ticks ? thread->last_ticks : ticks;
  c->first_ticks = ticks < c->first_ticks ? ticks : c->first_ticks;
  c->last_ticks = ticks > c->last_ticks ? ticks : c->last_ticks;
  return thread->last_ticks = ticks;
}

/* Short ways to emit. */
void emit_enter(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks, uint32_t region);
void emit_leave(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks, uint32_t region);
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

/* A point: Enter and Leave at once, of event->region; its attributes go on the Enter. */
void emit_point_on(struct correlator *correlator, struct location *location, const struct event *event);
static inline void emit_point(struct correlator *correlator, struct traced_thread *thread,
                              const struct event *event) {
  emit_point_on(correlator, &thread->location, event);
}

/* A place for one region more on top. */
void stack_grow(struct stack *stack);
static inline struct frame *stack_push(struct stack *stack) {
  if (stack->count == stack->capacity)
    stack_grow(stack);
  return &stack->frames[stack->count++];
}

/* A region more of the task. Returns whether it is to be written. (Inline, and field by field: to copy a
 * frame that was just put together costs more than all the rest.) */
static inline bool frame_push(const struct correlator *correlator, struct task *task, struct frame frame) {
  struct frame *top = stack_push(&task->stack);
  top->region = frame.region;
  top->detail = frame.detail;
  top->wait_id = frame.wait_id;
  top->codeptr = frame.codeptr;
  top->kind = frame.kind;
  top->is_hidden = correlator->is_paused && pause_hides(task, top);
  return !top->is_hidden;
}

/* Enters a region with an Enter of the caller's, or leaves the innermost one with a Leave of the caller's:
 * kind and region are set here, time and attributes are the caller's. */
static inline void frame_enter_with(struct correlator *correlator, struct traced_thread *thread,
                                    struct task *task, struct frame frame, struct event *enter) {
  if (!frame_push(correlator, task, frame))
    return;
  enter->kind = EVENT_ENTER;
  enter->region = frame.region;
  emit_event(correlator, thread, enter);
}
void frame_leave_with(struct correlator *correlator, struct traced_thread *thread, struct task *task,
                      struct event *leave);

/* Enters a region of the task, or leaves the innermost one. */
static inline void frame_enter(struct correlator *correlator, struct traced_thread *thread, struct task *task,
                               uint64_t ticks, struct frame frame) {
  if (frame_push(correlator, task, frame))
    emit_enter(correlator, thread, ticks, frame.region);
}
void frame_leave(struct correlator *correlator, struct traced_thread *thread, struct task *task,
                 uint64_t ticks);

/* A number that no specification names where something begins or ends: a point `unknown`. */
void emit_unknown(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks,
                  uint64_t codeptr, uint32_t number);

/* Leaves everything above the first `count` regions. */
void frames_leave_above(struct correlator *correlator, struct traced_thread *thread, struct task *task,
                        uint64_t ticks, size_t count);

/* The innermost frame of the kind in the task, or NULL; its index is frame - task->stack.frames. */
struct frame *frame_find(struct task *task, enum frame_kind kind);

struct task *task_new(struct correlator *correlator);
void task_free(struct task *task);

/* Whether the thread runs the task, or will come back to it. */
bool thread_has_open(const struct traced_thread *thread, const struct task *task);

/* The implicit or initial task in whose team the thread works now, or its base. */
struct task *implicit_task_of(struct traced_thread *thread);

/* The team for what the thread's tasks refer to: the innermost one, or its serial part's. */
struct team *team_of(struct correlator *correlator, struct traced_thread *thread);

/* The thread's own team of one, for tasks outside of parallel regions. */
struct team *serial_team_of(struct correlator *c, struct traced_thread *thread);

/* The thread's number in that team. */
uint32_t thread_number_of(struct traced_thread *thread);

/* The address of the task or parallel region that the thread is in; 0: none that is known. */
uint64_t code_around(struct traced_thread *thread);

/* The address or, where that shows nothing of the program, that of the nearest construct around what the
 * thread does; 0: none is known. */
uint64_t code_known(const struct correlator *correlator, struct traced_thread *thread, uint64_t codeptr);

uint32_t region_found(struct correlator *correlator, struct traced_thread *thread, enum construct construct,
                      uint64_t codeptr, uint32_t detail);

/* A region that is not a team's own, at code_known of `codeptr`. Most ask for the same one again. */
static inline uint32_t region_at(struct correlator *correlator, struct traced_thread *thread,
                                 enum construct construct, uint64_t codeptr, uint32_t detail) {
  const struct region_answer *last = &correlator->answers[construct];
  if (last->codeptr == codeptr && last->detail == detail && codeptr)
    return last->region;
  return region_found(correlator, thread, construct, codeptr, detail);
}

static inline struct known_region *known_place(const struct correlator *c, enum construct construct,
                                               uint64_t codeptr, uint32_t detail) {
  uint64_t hash =
      (codeptr ^ (uint64_t)detail << 40 ^ (uint64_t)construct << 32) * UINT64_C(0x9e3779b97f4a7c15);
  return &c->known[hash >> 54];
}

/* What region_at would answer was asked for before, and an Enter of it written: nothing is defined for it.
 * (This correlator's `answers` have it then.) */
bool region_is_known(struct correlator *correlator, enum construct construct, uint64_t codeptr,
                     uint32_t detail);

/* Addresses may mean something else from now on. */
void regions_forget(struct correlator *correlator);

/* Writes, or drops into the end of the team, the Leaves of a barrier that was perhaps the region's last. */
void undecided_write(struct correlator *correlator, struct traced_thread *thread, struct team *end_of);
/* One more: the Leave of a barrier is marked as late, what the tool says for itself is not. */
void undecided_put(struct correlator *correlator, struct traced_thread *thread, const struct event *event);
/* What the tool says for itself, and the thread has not done: it decides nothing. */
void emit_own(struct correlator *correlator, struct traced_thread *thread, const struct event *event);
static inline void undecided_flush(struct correlator *correlator, struct traced_thread *thread,
                                   struct team *end_of) {
  if (thread->undecided_count)
    undecided_write(correlator, thread, end_of);
}

#endif
