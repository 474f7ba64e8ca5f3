/* What a thread does, and since when: pieces of time and of regions, as they end. */
#include "replay/replay_state.h"

/* -- the observer -- */

static bool is_busy(enum activity activity) {
  return activity != ACTIVITY_BARRIER_WAIT && activity != ACTIVITY_LOCK_WAIT &&
         activity != ACTIVITY_TASK_WAIT && activity != ACTIVITY_IDLE && activity != ACTIVITY_MPI;
}

void replay_flush(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  uint64_t begin = thread->since_ticks > replay->from_ticks ? thread->since_ticks : replay->from_ticks;
  uint64_t end = ticks < replay->to_ticks ? ticks : replay->to_ticks;
  thread->since_ticks = ticks;
  if (begin >= end || !replay->uses_intervals)
    return;
  if (is_busy(thread->activity))
    thread->busy_until = end;
  if (!replay->observer.interval)
    return;
  const struct replay_context *context = top_context(thread);
  struct replay_interval interval = {
      location_of(replay, thread), context->current, context->team, thread->activity, begin, end};
  replay->observer.interval(replay->data, &interval);
}

void replay_end_slice(struct replay *replay, struct replay_thread *thread, const struct replay_task *task,
                      const struct replay_frame *frame, uint64_t ticks, bool is_last) {
  if (!replay->observer.slice || frame->slice_ticks > replay->to_ticks || ticks < replay->from_ticks)
    return;
  bool is_early = frame->slice_ticks<replay->from_ticks, is_late = ticks> replay->to_ticks;
  struct replay_slice slice = {.location = location_of(replay, thread),
                               .task = task,
                               .region = frame->region,
                               .construct = (enum construct)frame->construct,
                               .depth = frame->depth,
                               .begin_ticks = is_early ? replay->from_ticks : frame->slice_ticks,
                               .end_ticks = is_late ? replay->to_ticks : ticks,
                               .is_first = !is_early && frame->slice_ticks == frame->begin_ticks,
                               .is_last = !is_late && is_last};
  replay->observer.slice(replay->data, &slice);
}

void replay_cut_slices(struct replay *replay, struct replay_thread *thread, struct replay_task *task,
                       uint64_t ticks) {
  for (uint32_t i = task->frame_count; i-- > 0;)
    replay_end_slice(replay, thread, task, &task->frames[i], ticks, false);
}

void replay_leave_down_to(struct replay *replay, struct replay_thread *thread, struct replay_task *task,
                          uint32_t count, uint64_t ticks) {
  replay->anomalies.unclosed += task->frame_count - count;
  while (task->frame_count > count)
    replay_pop_frame(replay, thread, task, ticks);
}

/* -- the present state -- */

enum activity replay_activity(const struct replay *replay, size_t location) {
  return activity_now(replay, &replay->threads[location]);
}

struct replay_now replay_now(const struct replay *replay, size_t location) {
  const struct replay_thread *thread = &replay->threads[location];
  const struct replay_context *context = top_context(thread);
  return (struct replay_now){context->current, context->implicit, context->team, top_frame(context->current),
                             activity_now(replay, thread)};
}
