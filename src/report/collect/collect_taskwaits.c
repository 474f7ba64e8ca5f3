/* What a taskwait costs after which its task creates more: while it waits for the last ones, no task is ready
 * for the other threads. Only a creation after it shows that there was more to do, so a wait is kept until
 * then; whoever has been idle meanwhile is charged later still, when it goes on. */
#include "report/collect/collect.h"

static bool is_taskwait(const struct collector *collector, uint32_t region) {
  switch (collector->interests[region].construct) {
  case CONSTRUCT_taskwait:
  case CONSTRUCT_taskwait_depend:
  case CONSTRUCT_taskgroup:
    return true;
  default:
    return false;
  }
}

static uint64_t waited_on(const struct collector *collector, size_t location) {
  return collector->report->threads[location].activity[ACTIVITY_TASK_WAIT];
}

void taskwaits_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                            struct live_task *live_task) {
  if (is_taskwait(collector, region))
    live_task->taskwait = (struct taskwait){
        .region = region, .begin_ticks = event->ticks, .own_ticks = waited_on(collector, event->location)};
}

static uint64_t latest(uint64_t left, uint64_t right) {
  return left > right ? left : right;
}

void taskwaits_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                            struct live_task *live_task) {
  struct taskwait *taskwait = &live_task->taskwait;
  const struct report_location *here = &collector->locations[event->location];
  if (!is_taskwait(collector, region) || taskwait->region != region || taskwait->end_ticks)
    return;
  const struct replay_team *team = replay_current_team(collector->replay, event->location);
  if (!team || team->slot >= collector->live_team_capacity)
    return;
  const struct live_ready *ready = &collector->live_teams[team->slot].ready;
  uint64_t begin = latest(latest(taskwait->begin_ticks, ready->emptied_ticks), here->created_ticks);
  uint64_t own = waited_on(collector, event->location) - taskwait->own_ticks;
  uint64_t length = ready->tasks == 0 && event->ticks > begin ? event->ticks - begin : 0;
  taskwait->end_ticks = event->ticks;
  live_task->ended_taskwait = (struct taskwait){.region = region,
                                                .begin_ticks = begin,
                                                .end_ticks = length ? event->ticks : 0,
                                                .own_ticks = own < length ? own : length};
}

void taskwaits_created(struct collector *collector, struct live_task *creator, struct live_team *live_team,
                       uint32_t parallel) {
  const struct taskwait *taskwait = &creator->ended_taskwait;
  if (taskwait->end_ticks == 0)
    return;
  struct report_region *base = &collector->report->regions[taskwait->region];
  if (collector_is_inside(collector, taskwait->begin_ticks) &&
      collector_is_inside(collector, taskwait->end_ticks)) {
    base->held_up += taskwait->own_ticks;
    base->holds_up++;
    base->held_up_in = parallel;
    collector->has_taskwaits = true;
    live_team->blocked[live_team->blocked_count++ % BLOCKED] = *taskwait;
    live_team->blocked_sum += taskwait->end_ticks - taskwait->begin_ticks;
  }
  creator->ended_taskwait = (struct taskwait){0};
}

/* What of them lies between the two times; UINT64_MAX: the ring does not go back so far. */
static uint64_t overlap(const struct live_team *live_team, uint64_t begin, uint64_t end) {
  uint64_t sum = 0, i = live_team->blocked_count, oldest = i > BLOCKED ? i - BLOCKED : 0;
  while (i-- > oldest) {
    const struct taskwait *one = &live_team->blocked[i % BLOCKED];
    uint64_t from = latest(one->begin_ticks, begin), to = one->end_ticks < end ? one->end_ticks : end;
    if (one->end_ticks <= begin)
      return sum;
    sum += to > from ? to - from : 0;
  }
  return oldest > 0 ? UINT64_MAX : sum;
}

void taskwaits_idle(struct report_location *here, const struct live_team *live_team) {
  here->blocked_team = live_team->id;
  here->blocked_sum = live_team->blocked_sum;
}

void taskwaits_charge(struct collector *collector, size_t location, const struct live_team *live_team,
                      uint64_t begin, uint64_t end) {
  struct report_location *here = &collector->locations[location];
  uint64_t since = here->blocked_team == live_team->id ? here->blocked_sum : 0;
  uint64_t all = live_team->blocked_sum - since;
  taskwaits_idle(here, live_team);
  if (live_team->blocked_count == 0)
    return;
  uint64_t exact = overlap(live_team, begin, end), most = all < end - begin ? all : end - begin;
  uint32_t region = live_team->blocked[(live_team->blocked_count - 1) % BLOCKED].region;
  collector->report->regions[region].held_up += exact == UINT64_MAX ? most : exact;
}
