/* Barriers: when the last one has come, and what is waited for then. */
#include "report/collect.h"

static struct live_team *barrier_team(struct collector *collector, uint32_t region,
                                      const struct replay_now *now) {
  uint8_t construct = collector->interests[region].construct;
  if (construct != CONSTRUCT_barrier && construct != CONSTRUCT_implicit_barrier)
    return NULL;
  return now->task->is_implicit && now->team ? teams_live(collector, now->team->slot) : NULL;
}

/* Runtimes combine what a larger team reduces while it waits in the barrier behind. */
static void reduce(struct collector *collector, size_t location, const struct replay_now *now) {
  const struct live_member *member = teams_member(collector, location);
  struct live_team *live_team = now->team ? teams_live(collector, now->team->slot) : NULL;
  if (member && member->barriers > 0 && live_team && now->activity == ACTIVITY_BARRIER_WAIT)
    live_team->reduces[(member->barriers - 1) % BARRIER_ROUNDS] = true;
}

void barriers_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                           const struct replay_now *now) {
  struct live_team *live_team = barrier_team(collector, region, now);
  struct live_member *member = teams_member(collector, event->location);
  struct live_task *live_task = live_team && member ? live_task_of(collector, now->task) : NULL;
  if (collector->interests[region].is_reduction)
    reduce(collector, event->location, now);
  if (!live_task)
    return;
  uint32_t round = member->barriers++;
  if (round >= live_team->rounds) {
    live_team->rounds = round + 1;
    path_clear(&collector->paths, &live_team->arrived[round % BARRIER_ROUNDS]);
    live_team->arrivals[round % BARRIER_ROUNDS] = 0;
    live_team->reduces[round % BARRIER_ROUNDS] = false;
  }
  member->reduced_before = member->activity[ACTIVITY_REDUCTION];
  path_join(&collector->paths, &live_team->arrived[round % BARRIER_ROUNDS], &live_task->path);
  live_team->arrived_ticks[round % BARRIER_ROUNDS] = event->ticks;
  live_team->arrivals[round % BARRIER_ROUNDS]++;
  phases_arrive(collector, live_team, now->team->region, region, round, event->location, event->ticks);
}

/* Nothing is left to wait for since the last member has come and the last task has ended, but the barrier
 * itself. The last may come at the same time, in an event behind this one. */
static uint64_t release_of(const struct collector *collector, const struct live_team *live_team,
                           const struct live_member *member, uint32_t members, uint64_t leave_ticks) {
  uint32_t round = (member->barriers - 1) % BARRIER_ROUNDS;
  uint64_t arrived = live_team->arrived_ticks[round];
  uint64_t latest = live_team->task_end_ticks > arrived ? live_team->task_end_ticks : arrived;
  if (live_team->arrivals[round] < members || leave_ticks <= latest)
    return 0;
  return collector_cut(collector, leave_ticks) - collector_cut(collector, latest);
}

/* What a member waits for in such a barrier when all have come are those who still combine. */
static void count_reduction(struct collector *collector, struct live_member *member, uint32_t region,
                            uint32_t parallel, uint64_t release) {
  struct report_region *base = &collector->report->regions[region];
  uint64_t own = member->activity[ACTIVITY_REDUCTION] - member->reduced_before;
  uint64_t waited = release > own ? release - own : 0;
  member->reduced += own;
  member->reduction_wait += waited;
  if (!base->reduction)
    base->reduction = collector_get(collector, sizeof *base->reduction);
  if (!base->reduction)
    return;
  base->reduction->parallel = parallel;
  base->reduction->combined += own;
  base->reduction->waited += waited;
  base->reduction->times++;
  scatter_add(&base->reduction->costs, (double)waited);
}

void barriers_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                           const struct replay_now *now) {
  struct live_team *live_team = barrier_team(collector, region, now);
  struct live_member *member = teams_member(collector, event->location);
  struct live_task *live_task = live_team && member ? live_task_of(collector, now->task) : NULL;
  if (!live_task || member->barriers == 0)
    return;
  uint32_t round = (member->barriers - 1) % BARRIER_ROUNDS;
  if (member->barriers > live_team->rounds_left) {
    live_team->rounds_left = member->barriers;
    live_team->tasks_before[round] = live_team->tasks;
  }
  uint64_t release = release_of(collector, live_team, member, now->team->begun, event->ticks);
  uint64_t preempted =
      running_preempted_since(collector, event->location, live_team->arrived_ticks[round], event->ticks);
  member->preempted_in_phase += preempted;
  if (live_team->reduces[round])
    count_reduction(collector, member, region, now->team->region, release);
  else {
    member->release += release;
    member->late_in_phase = release > preempted ? release - preempted : 0;
  }
  path_join(&collector->paths, &live_task->path, &live_team->arrived[round]);
  path_join(&collector->paths, &live_task->path, &live_team->finished);
}
