/* Barriers: who has come last, and who waits for that one. */
#include "replay/replay_state.h"

static bool is_of_team(const struct replay_context *context) {
  return context->team && context->current->is_implicit;
}

static void notify(const struct replay *replay, const struct replay_thread *thread,
                   enum replay_barrier_step step, uint32_t region, uint64_t ticks, bool is_first) {
  const struct replay_context *context = top_context(thread);
  uint32_t number = context->barriers - 1;
  struct replay_barrier_event event = {.step = step,
                                       .location = location_of(replay, thread),
                                       .ticks = ticks,
                                       .team = context->team,
                                       .task = context->current,
                                       .region = region,
                                       .number = number,
                                       .arrived_ticks = context->arrived_ticks,
                                       .is_first = is_first,
                                       .round = &context->team->rounds[number % REPLAY_ROUNDS]};
  if (replay->observer.barrier)
    replay->observer.barrier(replay->data, &event);
}

void replay_arrive(struct replay *replay, struct replay_thread *thread, const struct replay_frame *frame,
                   uint64_t ticks) {
  struct replay_context *context = top_context(thread);
  if (!is_of_team(context))
    return;
  struct replay_round *round = &context->team->rounds[context->barriers++ % REPLAY_ROUNDS];
  bool is_first = context->barriers > context->team->rounds_entered;
  if (is_first) {
    context->team->rounds_entered = context->barriers;
    *round = (struct replay_round){0};
  }
  context->arrived_ticks = ticks;
  round->arrivals++;
  round->last_ticks = ticks;
  round->last_location = location_of(replay, thread);
  notify(replay, thread, REPLAY_BARRIER_ARRIVED, frame->region, ticks, is_first);
  if (replay->observer.link)
    replay_link_arrive(replay, context, (struct replay_moment){ticks, round->last_location});
}

void replay_pass(struct replay *replay, struct replay_thread *thread, const struct replay_frame *frame,
                 uint64_t ticks) {
  struct replay_context *context = top_context(thread);
  if (!is_of_team(context) || context->barriers == 0)
    return;
  bool is_first = context->barriers > context->team->rounds_left;
  context->team->rounds_left = is_first ? context->barriers : context->team->rounds_left;
  notify(replay, thread, REPLAY_BARRIER_LEFT, frame->region, ticks, is_first);
  if (replay->observer.link)
    replay_link_pass(replay, context, (struct replay_moment){ticks, location_of(replay, thread)});
}
