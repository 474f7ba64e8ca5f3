/* What all subjects build on: time and events of a thread, the stack of open regions of a task, the team in
 * which a thread works. */
#ifndef STAVE_WRITER_CORRELATE_FRAMES_H
#define STAVE_WRITER_CORRELATE_FRAMES_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause_frames.h"
#include "writer/correlate/thread_events.h"
#include "writer/correlate/thread_tasks.h"
#include "writer/definitions/regions.h"

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

/* Whether it is of the kind, and its Enter is written. (The asm keeps gcc from loading both fields as one:
 * what was just stored to each would have to be in the cache first.) */
static inline bool frame_is_shown(const struct frame *frame, enum frame_kind kind) {
  enum frame_kind own = frame->kind;
  __asm__("" : "+r"(own));
  return own == kind && !frame->is_hidden;
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

/* NULL: there is none. */
static inline struct frame *frame_innermost(struct task *task) {
  return task->stack.count ? &task->stack.frames[task->stack.count - 1] : NULL;
}

/* The innermost frame of the kind in the task, or NULL; its index is frame - task->stack.frames. */
struct frame *frame_find(struct task *task, enum frame_kind kind);

/* The innermost worksharing region, unless the task is in a target region that runs on the host: what is
 * there belongs to no team around it. */
static inline struct frame *frame_of_work(struct task *task) {
  for (size_t i = task->stack.count; i-- > 0 && task->stack.frames[i].kind != FRAME_TARGET;)
    if (task->stack.frames[i].kind == FRAME_WORK)
      return &task->stack.frames[i];
  return NULL;
}

/* Ends the worksharing region that the thread's task has not ended itself. Some never end (cancelled loops,
 * gcc's single): they are over when the task goes on to a barrier or another worksharing region. A taskloop
 * may be inside of one. */
void frames_leave_unended_work(struct correlator *correlator, struct traced_thread *thread, uint64_t now);

/* The address or, where that shows nothing of the program, that of the nearest construct around what the
 * thread does; 0: none is known. */
uint64_t code_known(const struct correlator *correlator, struct traced_thread *thread, uint64_t codeptr);

uint32_t region_found(struct correlator *correlator, struct traced_thread *thread, enum construct construct,
                      uint64_t codeptr, uint32_t detail);

/* A region that is not a team's own, at code_known of `codeptr`. Most request the same one again. */
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

/* Whether region_at would answer what it has answered before: this correlator's `answers` have it then. */
bool region_is_remembered(struct correlator *correlator, enum construct construct, uint64_t codeptr,
                          uint32_t detail);
static inline bool region_is_answered(struct correlator *correlator, enum construct construct,
                                      uint64_t codeptr, uint32_t detail) {
  const struct region_answer *last = &correlator->answers[construct];
  if (last->codeptr == codeptr && last->detail == detail)
    return codeptr != 0;
  return region_is_remembered(correlator, construct, codeptr, detail);
}

/* What region_at would answer was requested before, and an Enter of it written: nothing is defined for it.
 * (This correlator's `answers` have it then.) */
bool region_is_known(struct correlator *correlator, enum construct construct, uint64_t codeptr,
                     uint32_t detail);

/* Addresses may mean something else from now on. */
void regions_forget(struct correlator *correlator);

#endif
