/* What all subjects of correlation build on: events, the stack of open regions of a task, and the team in
 * which a thread works. */
#include <string.h>

#include "base/array.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/host_ops.h"
#include "writer/correlate/model.h"
#include "writer/definitions/regions.h"

void emit_unknown(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t codeptr,
                  uint32_t number) {
  emit_point(c, thread,
             &(struct event){.ticks = ticks,
                             .region = region_at(c, thread, CONSTRUCT_unknown, codeptr, number),
                             .attribute = ATTRIBUTE_kind,
                             .value = number});
}

void stack_grow(struct stack *stack) {
  array_reserve_apart(&stack->frames, &stack->capacity, stack->count + 1, sizeof *stack->frames);
}

void frame_leave_with(struct correlator *c, struct traced_thread *thread, struct task *task,
                      struct event *leave) {
  const struct frame *frame = &task->stack.frames[--task->stack.count];
  if (frame->is_hidden)
    return;
  pause_show(c, thread, task, leave->ticks);
  leave->kind = EVENT_LEAVE;
  leave->region = frame->region;
  emit_event(c, thread, leave);
}

/* (Inlined, since nearly all that is left is left here or in a loop.) */
static inline __attribute__((always_inline)) void
leave_top(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  const struct frame *frame = &task->stack.frames[--task->stack.count];
  if (frame->is_hidden)
    return;
  pause_show(c, thread, task, ticks);
  emit_region(c, thread, ticks, frame->region, EVENT_LEAVE);
}

void frame_leave(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  leave_top(c, thread, task, ticks);
}

/* A mutex that is still held when its region is left is released there, what a device is doing ends. (Not
 * inlined: most regions have nothing to let go.) */
static __attribute__((noinline)) void let_go(struct correlator *c, struct traced_thread *thread,
                                             const struct frame *frame, uint64_t ticks) {
  if (frame->kind == FRAME_MUTEX)
    locks_release_all(c, thread, ticks, frame->wait_id);
  else
    host_op_end(c, frame->wait_id, (struct event){.ticks = ticks});
}

/* Where a thread waits for a lock at the end, the archive reports for which. */
static void leave_awaiting(struct correlator *c, struct traced_thread *thread, struct task *task,
                           uint64_t ticks) {
  struct event leave = {.ticks = ticks};
  if (lock_awaited(c, &task->stack.frames[task->stack.count - 1], &leave))
    frame_leave_with(c, thread, task, &leave);
}

void frames_leave_above(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks,
                        size_t count) {
  if (c->is_closing && task->stack.count > count)
    leave_awaiting(c, thread, task, ticks);
  while (task->stack.count > count) {
    const struct frame *top = &task->stack.frames[task->stack.count - 1];
    if (top->kind == FRAME_MUTEX || top->kind == FRAME_OPERATION)
      let_go(c, thread, top, ticks);
    leave_top(c, thread, task, ticks);
  }
}

struct frame *frame_find(struct task *task, enum frame_kind kind) {
  for (size_t i = task->stack.count; i-- > 0;)
    if (task->stack.frames[i].kind == kind)
      return &task->stack.frames[i];
  return NULL;
}

void frames_leave_unended_work(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  struct frame *frame = frame_of_work(thread->current);
  if (frame && frame->detail != OMPT_WORK_taskloop)
    frames_leave_above(c, thread, thread->current, now, (size_t)(frame - thread->current->stack.frames));
}

/* -- regions -- */

/* The innermost open region of the task that has an address of the program, else the task's or the team's. */
static uint64_t nearest_code(const struct correlator *c, struct traced_thread *thread) {
  const struct stack *stack = &thread->current->stack;
  uint64_t address = 0;
  for (size_t i = stack->count; i-- > 0 && address == 0;)
    address = regions_address(c->regions, stack->frames[i].region);
  return address ? address : code_around(thread);
}

uint64_t code_known(const struct correlator *c, struct traced_thread *thread, uint64_t codeptr) {
  return regions_is_nowhere(c->regions, codeptr) ? nearest_code(c, thread) : codeptr;
}

static bool is_known_place(const struct correlator *c, const struct known_region *known,
                           enum construct construct, uint64_t codeptr, uint32_t detail) {
  return c->known && codeptr && known->codeptr == codeptr && known->detail == detail &&
         known->construct == construct;
}

__attribute__((noinline)) bool region_is_remembered(struct correlator *c, enum construct construct,
                                                    uint64_t codeptr, uint32_t detail) {
  const struct known_region *known = c->known ? known_place(c, construct, codeptr, detail) : NULL;
  if (!is_known_place(c, known, construct, codeptr, detail))
    return false;
  c->answers[construct] = (struct region_answer){codeptr, detail, known->region};
  return true;
}

/* A worker has no address of the barriers at the end of its parallel regions: all request them. */
static uint32_t region_inside(struct correlator *c, struct traced_thread *thread, enum construct construct,
                              uint64_t codeptr, uint32_t detail) {
  const struct frame *innermost = frame_innermost(thread->current);
  uint32_t region = regions_get(c->regions, construct, nearest_code(c, thread), detail);
  if (innermost && regions_address(c->regions, innermost->region))
    c->inside[construct] = (struct region_inside){codeptr, detail, region, innermost->region + 1};
  return region;
}

static bool is_inside_answered(const struct region_inside *last, const struct frame *innermost,
                               uint64_t codeptr, uint32_t detail) {
  return innermost && last->innermost == innermost->region + 1 && last->codeptr == codeptr &&
         last->detail == detail;
}

uint32_t region_found(struct correlator *c, struct traced_thread *thread, enum construct construct,
                      uint64_t codeptr, uint32_t detail) {
  if (is_inside_answered(&c->inside[construct], frame_innermost(thread->current), codeptr, detail))
    return c->inside[construct].region;
  if (region_is_answered(c, construct, codeptr, detail))
    return c->answers[construct].region;
  if (regions_is_nowhere(c->regions, codeptr))
    return region_inside(c, thread, construct, codeptr, detail);
  uint32_t region = regions_get_in(c->regions, construct, codeptr, detail, code_around(thread));
  c->answers[construct] = (struct region_answer){codeptr, detail, region};
  if (c->known)
    *known_place(c, construct, codeptr, detail) = (struct known_region){codeptr, detail, region, construct};
  return region;
}

bool region_is_known(struct correlator *c, enum construct construct, uint64_t codeptr, uint32_t detail) {
  return region_is_answered(c, construct, codeptr, detail) &&
         emitter_has_entered(c->emitter, c->answers[construct].region);
}

void regions_forget(struct correlator *c) {
  memset(c->answers, 0, sizeof c->answers);
  memset(c->inside, 0, sizeof c->inside);
  if (c->known)
    memset(c->known, 0, KNOWN_REGIONS * sizeof *c->known);
}
