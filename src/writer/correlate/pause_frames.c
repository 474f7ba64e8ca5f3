#include "writer/correlate/pause_frames.h"

#include "writer/correlate/holds.h"
#include "writer/correlate/placement.h"
#include "writer/correlate/thread_events.h"
#include "writer/correlate/thread_tasks.h"

bool pause_hides(const struct task *task, const struct frame *frame) {
  return frame->kind != FRAME_PARALLEL || task->team->is_hidden;
}

void pause_show_now(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  if (thread->written_task == task)
    return;
  struct event event = task_switch_event(c, thread, task, ticks);
  emit_event(c, thread, &event);
  thread->written_task = task;
}

void pause_switch(struct correlator *c, struct traced_thread *thread, const struct task *next,
                  uint64_t ticks) {
  struct task *implicit = implicit_task_of(thread);
  bool is_written = !implicit->team || !implicit->team->is_hidden;
  if (is_written && thread->written_task != next)
    pause_show_now(c, thread, implicit, ticks);
}

bool pause_covers(const struct correlator *c, uint64_t *begin, uint64_t end) {
  if (*begin < c->paused_ticks || *begin >= c->started_ticks)
    return false;
  if (end > c->started_ticks)
    *begin = c->started_ticks;
  return end <= c->started_ticks;
}

/* What is open around something that is written stays hidden: that was entered since. */
static size_t first_to_enter(const struct stack *stack) {
  size_t first = stack->count;
  while (first > 0 && stack->frames[first - 1].is_hidden)
    first--;
  return first > 0 ? first - 1 : 0;
}

void pause_enter_all(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  for (size_t i = first_to_enter(&task->stack); i < task->stack.count; i++) {
    struct frame *frame = &task->stack.frames[i];
    struct event enter = {.kind = EVENT_ENTER, .ticks = ticks, .region = frame->region};
    if (frame->is_hidden && frame->kind == FRAME_PARALLEL)
      add_placement(thread, &enter);
    if (frame->is_hidden)
      emit_event(c, thread, &enter);
    frame->is_hidden = false;
    if (frame->kind == FRAME_MUTEX)
      lock_show(c, thread, frame->wait_id, ticks);
  }
}
