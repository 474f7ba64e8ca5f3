#include "writer/correlate/thread_events.h"

__attribute__((noinline)) void emit_slowly(struct correlator *c, struct traced_thread *thread, uint64_t ticks,
                                           uint32_t region, enum event_kind kind) {
  emit_event(c, thread, &(struct event){.kind = (uint8_t)kind, .ticks = ticks, .region = region});
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

/* Whether the thread is in a barrier that may turn out to be its region's last, and that it left earlier
 * than its own records report. */
static bool may_end_late(const struct traced_thread *thread) {
  const struct stack *stack = &thread->current->stack;
  bool is_in_barrier = stack->count == 2 || (stack->count == 3 && stack->frames[2].kind == FRAME_WAIT);
  return is_in_barrier && stack->frames[1].kind == FRAME_SYNC && is_undecided(thread, &stack->frames[1]);
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
