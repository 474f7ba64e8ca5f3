/* Barriers: when the last one has come, and what is waited for then. */
#include "base/memory.h"
#include "report/collect/collect.h"

/* Runtimes combine what a larger team reduces while it waits in the barrier after. */
void barriers_reduce(struct collector *collector, size_t location, const struct replay_now *now) {
  const struct live_member *member = teams_member(collector, location);
  struct live_team *live_team = now->team ? teams_live(collector, now->team->slot) : NULL;
  if (member && member->barriers > 0 && live_team && now->activity == ACTIVITY_BARRIER_WAIT)
    live_team->reduces[(member->barriers - 1) % BARRIER_ROUNDS] = true;
}

static void arrive(struct collector *collector, const struct replay_barrier_event *event,
                   struct live_team *live_team, struct live_member *member) {
  struct live_task *live_task = live_task_of(collector, event->task);
  uint32_t round = event->number % BARRIER_ROUNDS;
  if (!live_task)
    return;
  member->barriers = event->number + 1;
  member->reduced_before = member->activity[ACTIVITY_REDUCTION];
  if (event->is_first) {
    path_clear(&collector->paths, &live_team->arrived[round]);
    live_team->reduces[round] = false;
  }
  path_join(&collector->paths, &live_team->arrived[round], &live_task->path);
  phases_arrive(collector, live_team, event->team->region, event->region, event->number, event->location,
                event->ticks);
}

/* Nothing is left to wait for since the last member has come and the last task has ended, but the barrier
 * itself. The last may come at the same time, in an event after this one. */
static uint64_t release_of(const struct collector *collector, const struct live_team *live_team,
                           const struct replay_barrier_event *event) {
  uint64_t arrived = event->round->last_ticks;
  uint64_t latest = live_team->task_end_ticks > arrived ? live_team->task_end_ticks : arrived;
  if (event->round->arrivals < event->team->started || event->ticks <= latest)
    return 0;
  return collector_cut(collector, event->ticks) - collector_cut(collector, latest);
}

/* What a member waits for in such a barrier when all have come are those who still combine. */
static void count_reduction(struct collector *collector, struct live_member *member, uint32_t region,
                            uint32_t parallel, uint64_t release) {
  uint64_t own = member->activity[ACTIVITY_REDUCTION] - member->reduced_before;
  struct barrier_reduction reduction = {region, parallel, own, release > own ? release - own : 0};
  member->reduced += own;
  member->reduction_wait += reduction.waited;
  if (collector->posting)
    collector->posting->reduction(collector, &reduction);
  else
    barriers_add(collector, &reduction);
}

void barriers_add(struct collector *collector, const struct barrier_reduction *reduction) {
  struct report_region *base = &collector->report->regions[reduction->region];
  if (!base->reduction)
    base->reduction = memory_get(1, sizeof *base->reduction);
  base->reduction->parallel = reduction->parallel;
  base->reduction->combined += reduction->combined;
  base->reduction->waited += reduction->waited;
  base->reduction->times++;
  scatter_add(&base->reduction->costs, (double)reduction->waited);
}

static void leave(struct collector *collector, const struct replay_barrier_event *event,
                  struct live_team *live_team, struct live_member *member) {
  struct live_task *live_task = live_task_of(collector, event->task);
  uint32_t round = event->number % BARRIER_ROUNDS;
  if (!live_task)
    return;
  if (event->is_first)
    live_team->tasks_before[round] = live_team->tasks;
  uint64_t release = release_of(collector, live_team, event);
  uint64_t preempted =
      running_preempted_since(collector, event->location, event->round->last_ticks, event->ticks);
  member->preempted_in_phase += preempted;
  if (live_team->reduces[round])
    count_reduction(collector, member, event->region, event->team->region, release);
  else {
    member->release += release;
    member->late_in_phase = release > preempted ? release - preempted : 0;
  }
  path_join(&collector->paths, &live_task->path, &live_team->arrived[round]);
  path_join(&collector->paths, &live_task->path, &live_team->finished);
}

void barriers_on_event(void *data, const struct replay_barrier_event *event) {
  struct collector *collector = data;
  struct live_team *live_team = teams_live(collector, event->team->slot);
  struct live_member *member = teams_member(collector, event->location);
  if (!live_team || !member)
    return;
  if (event->step == REPLAY_BARRIER_ARRIVED)
    arrive(collector, event, live_team, member);
  else
    leave(collector, event, live_team, member);
}
