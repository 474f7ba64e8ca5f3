/* Teams: which a location is in, and when nobody is in one any more. */
#include <stdlib.h>

#include "base/array.h"
#include "replay/replay_state.h"

static void notify(const struct replay *replay, enum replay_team_step step,
                   const struct replay_thread *thread, uint64_t ticks, const struct replay_team *team,
                   const struct replay_task *task) {
  struct replay_team_event event = {step, location_of(replay, thread), ticks, team, task};
  if (replay->observer.team)
    replay->observer.team(replay->data, &event);
}

static void push(struct replay *replay, struct replay_thread *thread, struct replay_team *team) {
  array_reserve(&thread->contexts, &thread->context_capacity, (size_t)thread->context_count + 1,
                sizeof *thread->contexts);
  struct replay_task *task = replay_new_task(replay);
  task->is_implicit = task->has_started = task->is_running = true;
  task->location = task->started_on = location_of(replay, thread);
  task->comm = team ? team->comm : REPLAY_NONE;
  thread->contexts[thread->context_count++] =
      (struct replay_context){.team = team, .implicit = task, .current = task};
}

void replay_push_base(struct replay *replay, struct replay_thread *thread) {
  push(replay, thread, NULL);
}

/* -- forks -- */

/* Score-P enters the parallel region before the fork, Stave (and Score-P on workers) after the team's begin.
 * Outside of all teams there is no doubt which it is. */
static uint32_t forked_region(struct replay *replay, const struct replay_thread *thread,
                              const struct replay_frame *frame) {
  bool is_parallel = frame && frame->construct == CONSTRUCT_parallel;
  replay->enters_before_fork |= is_parallel && thread->context_count == 1;
  return is_parallel && replay->enters_before_fork ? frame->region : REPLAY_NONE;
}

void replay_fork(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  const struct replay_task *task = top_context(thread)->current;
  thread->has_forked = true;
  thread->fork_ticks = ticks;
  thread->fork_creator = task->id;
  thread->fork_region = forked_region(replay, thread, top_frame(task));
  thread->is_between = true;
  replay_update(replay, thread, ticks);
}

void replay_join(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  thread->has_forked = thread->is_between = false;
  replay_update(replay, thread, ticks);
}

/* -- teams -- */

/* Before the primary has started, the first member: the team's thread 0. */
static size_t primary_of(const struct replay *replay, const struct replay_team *team) {
  if (team->primary != SIZE_MAX || team->comm == REPLAY_NONE)
    return team->primary;
  uint64_t ref = trace_comm_member(replay->trace, replay->trace->comms[team->comm].ref, 0);
  const struct trace_location *location = ref == TRACE_NO_REF ? NULL : trace_location(replay->trace, ref);
  return location ? (size_t)(location - replay->trace->locations) : SIZE_MAX;
}

const struct replay_team *replay_outermost_team(const struct replay *replay, size_t location,
                                                size_t *ret_primary) {
  const struct replay_thread *thread = &replay->threads[location];
  const struct replay_team *team = thread->context_count > 1 ? thread->contexts[1].team : NULL;
  *ret_primary = team ? primary_of(replay, team) : SIZE_MAX;
  if (*ret_primary == SIZE_MAX)
    return NULL;
  const struct replay_thread *primary = &replay->threads[*ret_primary];
  return primary->context_count == 1 || primary->contexts[1].team == team ? team : NULL;
}

static uint32_t comm_position(const struct replay *replay, uint32_t ref) {
  const struct trace_comm *comm = ref == REPLAY_NONE ? NULL : trace_comm(replay->trace, ref);
  return comm ? (uint32_t)(comm - replay->trace->comms) : REPLAY_NONE;
}

static uint32_t size_of(const struct replay *replay, uint32_t comm) {
  const struct trace_group *group =
      comm == REPLAY_NONE ? NULL : trace_group(replay->trace, replay->trace->comms[comm].group);
  return group ? group->member_count : 0;
}

static struct replay_team *new_team(struct replay *replay, uint32_t comm, uint64_t ticks) {
  uint32_t slot;
  struct replay_team *team = pool_new(&replay->teams, &slot);
  *team = (struct replay_team){.id = ++replay->team_count,
                               .slot = slot,
                               .comm = comm,
                               .region = REPLAY_NONE,
                               .size = size_of(replay, comm),
                               .primary = SIZE_MAX,
                               .fork_ticks = ticks,
                               .begin_ticks = ticks,
                               .is_runtimes = comm != REPLAY_NONE && replay->trace->comms[comm].is_runtimes};
  replay->has_runtimes_teams |= team->is_runtimes;
  if (comm != REPLAY_NONE)
    replay->live_teams[comm] = team;
  return team;
}

static bool is_member(const struct replay_thread *thread, const struct replay_team *team) {
  for (uint32_t i = 1; i < thread->context_count; i++)
    if (thread->contexts[i].team == team)
      return true;
  return false;
}

/* A communicator has one team at a time, unless the trace is wrong. */
static struct replay_team *team_to_begin(struct replay *replay, const struct replay_thread *thread,
                                         uint32_t comm, uint64_t ticks) {
  struct replay_team *team = comm == REPLAY_NONE ? NULL : replay->live_teams[comm];
  if (team && !is_member(thread, team))
    return team;
  return new_team(replay, comm, ticks);
}

static void become_primary(struct replay_thread *thread, struct replay_team *team, size_t location) {
  if (!thread->has_forked || team->primary != SIZE_MAX)
    return;
  thread->has_forked = false;
  team->primary = location;
  team->fork_ticks = thread->fork_ticks;
  team->creator = thread->fork_creator;
  if (team->region == REPLAY_NONE)
    team->region = thread->fork_region;
}

void replay_begin_team(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t comm) {
  const struct replay_context *context = top_context(thread);
  uint32_t depth = replay_base_depth(thread) + context->current->frame_count;
  struct replay_team *team = team_to_begin(replay, thread, comm_position(replay, comm), ticks);
  replay_flush(replay, thread, ticks);
  push(replay, thread, team);
  thread->outer_depth = depth;
  thread->is_between = false;
  become_primary(thread, team, location_of(replay, thread));
  team->started++;
  team->open++;
  thread->activity = replay_activity(replay, location_of(replay, thread));
  notify(replay, REPLAY_TEAM_BEGIN, thread, ticks, team, top_context(thread)->implicit);
  if (replay->observer.link)
    replay_link_fork(replay, team, (struct replay_moment){ticks, location_of(replay, thread)});
}

static void forget(struct replay *replay, const struct replay_team *team) {
  if (team->comm != REPLAY_NONE && replay->live_teams[team->comm] == team)
    replay->live_teams[team->comm] = NULL;
}

/* Members begin one after another: a team of which nobody is left may still be waited for by those to
 * come. */
static void leave_team(struct replay *replay, struct replay_thread *thread, struct replay_team *team,
                       uint64_t ticks) {
  bool is_primary = team->primary == location_of(replay, thread);
  team->open--;
  if (is_primary || team->started >= team->size)
    forget(replay, team);
  if (team->open > 0 || (team->comm != REPLAY_NONE && replay->live_teams[team->comm] == team))
    return;
  notify(replay, REPLAY_TEAM_JOINED, thread, ticks, team, NULL);
  pool_put(&replay->teams, team->slot);
}

static void find_depth(struct replay_thread *thread) {
  thread->outer_depth = 0;
  for (uint32_t i = 0; i + 1 < thread->context_count; i++) {
    const struct replay_context *context = &thread->contexts[i];
    thread->outer_depth += context->implicit->frame_count;
    thread->outer_depth += context->current != context->implicit ? context->current->frame_count : 0;
  }
}

void replay_pop_team(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  replay_suspend_task(replay, thread, NULL, ticks);
  struct replay_context context = *top_context(thread);
  replay_flush(replay, thread, ticks);
  replay_leave_down_to(replay, thread, context.implicit, 0, ticks);
  notify(replay, REPLAY_TEAM_END, thread, ticks, context.team, context.implicit);
  thread->is_between = context.team->primary == location_of(replay, thread);
  thread->context_count--;
  find_depth(thread);
  replay_drop_task(replay, context.implicit);
  leave_team(replay, thread, context.team, ticks);
  thread->activity = replay_activity(replay, location_of(replay, thread));
}

void replay_end_team(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t comm) {
  uint32_t position = comm_position(replay, comm), i = thread->context_count - 1;
  while (i > 0 && thread->contexts[i].team->comm != position)
    i--;
  if (i == 0) {
    replay->anomalies.unknown_team++;
    return;
  }
  replay->anomalies.unknown_team += thread->context_count - 1 - i;
  while (thread->context_count > i)
    replay_pop_team(replay, thread, ticks);
}
