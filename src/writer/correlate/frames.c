/* What all subjects of correlation build on: events, the stack of open regions of a task, and the team in
 * which a thread works. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pool.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/host_ops.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause.h"
#include "writer/correlate/sync.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

static __attribute__((noinline)) void emit_slowly(struct correlator *c, struct traced_thread *thread,
                                                  uint64_t ticks, uint32_t region, enum event_kind kind) {
  emit_event(c, thread, &(struct event){.kind = (uint8_t)kind, .ticks = ticks, .region = region});
}

static inline void emit_region(struct correlator *c, struct traced_thread *thread, uint64_t ticks,
                               uint32_t region, enum event_kind kind) {
  if (c->counting.thread || c->is_closing || !emit_plain(c->emitter, &thread->location, ticks, region, kind))
    emit_slowly(c, thread, ticks, region, kind);
}

void emit_enter(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint32_t region) {
  emit_region(c, thread, ticks, region, EVENT_ENTER);
}

void emit_leave(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint32_t region) {
  emit_region(c, thread, ticks, region, EVENT_LEAVE);
}

void emit_point_on(struct correlator *c, struct location *location, const struct event *event) {
  struct event enter = *event;
  if (c->is_paused)
    return;
  enter.kind = EVENT_ENTER;
  emit_on(c, location, &enter);
  emit_on(c, location, &(struct event){.kind = EVENT_LEAVE, .ticks = event->ticks, .region = event->region});
}

void emit_unknown(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t codeptr,
                  uint32_t number) {
  emit_point(c, thread,
             &(struct event){.ticks = ticks,
                             .region = region_at(c, thread, CONSTRUCT_unknown, codeptr, number),
                             .attribute = ATTRIBUTE_kind,
                             .value = number});
}

void stack_grow(struct stack *stack) {
  array_reserve_zeroed(&stack->frames, &stack->capacity, stack->count + 1, sizeof *stack->frames);
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

void frame_leave(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  const struct frame *frame = &task->stack.frames[--task->stack.count];
  if (frame->is_hidden)
    return;
  pause_show(c, thread, task, ticks);
  emit_leave(c, thread, ticks, frame->region);
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
    frame_leave(c, thread, task, ticks);
  }
}

struct frame *frame_find(struct task *task, enum frame_kind kind) {
  for (size_t i = task->stack.count; i-- > 0;)
    if (task->stack.frames[i].kind == kind)
      return &task->stack.frames[i];
  return NULL;
}

/* -- tasks and teams of a thread -- */

struct task *task_new(struct correlator *c) {
  uint32_t number;
  struct task *task = pool_new(&c->task_pool, &number);
  *task = (struct task){
      .pool = &c->task_pool, .number = number, .stack = {task->stack.frames, 0, task->stack.capacity}};
  return task;
}

void task_free(struct task *task) {
  if (!task)
    return;
  team_release(task->team);
  pool_put(task->pool, task->number);
}

bool thread_has_open(const struct traced_thread *thread, const struct task *task) {
  const struct task *open = thread->current;
  while (open && open != task)
    open = open->outer;
  return open != NULL;
}

/* An explicit task runs in front of the implicit one, which its `outer` names. */
struct task *implicit_task_of(struct traced_thread *thread) {
  struct task *task = thread->current;
  while (!task->is_implicit && task != thread->base)
    task = task->outer ? task->outer : thread->base;
  return task;
}

struct team *serial_team_of(struct correlator *c, struct traced_thread *thread) {
  if (thread->serial_team)
    return thread->serial_team;
  struct team *team = team_get(c->emitter);
  team->is_serial = true;
  team->primary = thread;
  team->comm = definitions_comm(c->definitions, &thread->location.id, 1, COMM_UNKNOWN, true);
  return thread->serial_team = team;
}

struct team *team_of(struct correlator *c, struct traced_thread *thread) {
  struct task *task = implicit_task_of(thread);
  return task->team && !task->is_initial ? task->team : serial_team_of(c, thread);
}

uint32_t thread_number_of(struct traced_thread *thread) {
  struct task *task = implicit_task_of(thread);
  return task->team && !task->is_initial ? task->creator : 0;
}

uint64_t code_around(struct traced_thread *thread) {
  const struct task *task = thread->current;
  if (!task->is_implicit && task->codeptr)
    return task->codeptr;
  const struct team *team = implicit_task_of(thread)->team;
  return team ? team->codeptr : 0;
}

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

uint32_t region_found(struct correlator *c, struct traced_thread *thread, enum construct construct,
                      uint64_t codeptr, uint32_t detail) {
  if (regions_is_nowhere(c->regions, codeptr))
    return regions_get(c->regions, construct, nearest_code(c, thread), detail);
  uint32_t region = regions_get_in(c->regions, construct, codeptr, detail, code_around(thread));
  c->answers[construct] = (struct region_answer){codeptr, detail, region};
  if (c->known)
    *known_place(c, construct, codeptr, detail) = (struct known_region){codeptr, detail, region, construct};
  return region;
}

static bool is_answered(struct correlator *c, enum construct construct, uint64_t codeptr, uint32_t detail) {
  struct region_answer *last = &c->answers[construct];
  const struct known_region *known = known_place(c, construct, codeptr, detail);
  if (last->codeptr == codeptr && last->detail == detail)
    return true;
  if (known->codeptr != codeptr || known->detail != detail || known->construct != construct)
    return false;
  *last = (struct region_answer){codeptr, detail, known->region};
  return true;
}

bool region_is_known(struct correlator *c, enum construct construct, uint64_t codeptr, uint32_t detail) {
  return codeptr && is_answered(c, construct, codeptr, detail) &&
         emitter_has_entered(c->emitter, c->answers[construct].region);
}

void regions_forget(struct correlator *c) {
  memset(c->answers, 0, sizeof c->answers);
  if (c->known)
    memset(c->known, 0, KNOWN_REGIONS * sizeof *c->known);
}

void undecided_write(struct correlator *c, struct traced_thread *thread, struct team *end_of) {
  unsigned kept = 0;
  for (unsigned i = 0; i < thread->undecided_count; i++) {
    struct event event = thread->undecided[i];
    if (end_of && !event.is_late) {
      thread->undecided[kept++] = event;
      continue;
    }
    if (thread->counted && !end_of)
      counters_put_kept(c, thread, i);
    event.team = end_of;
    event.is_late = end_of != NULL;
    emit_event(c, thread, &event);
  }
  thread->undecided_count = kept;
  if (thread->counted)
    counters_drop_kept(thread);
}

void undecided_put(struct correlator *c, struct traced_thread *thread, const struct event *event) {
  if (thread->undecided_count == UNDECIDED_MAX)
    undecided_write(c, thread, NULL);
  if (c->counting.thread == thread && event->kind == EVENT_LEAVE && event->is_late)
    counters_keep(c, thread, thread->undecided_count);
  thread->undecided[thread->undecided_count++] = *event;
}

void emit_own(struct correlator *c, struct traced_thread *thread, const struct event *event) {
  if (thread->undecided_count || may_end_late(thread))
    undecided_put(c, thread, event);
  else
    emit_event(c, thread, event);
}
