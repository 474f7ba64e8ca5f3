/* How many tasks could begin at a time (created, all that they depend on complete, not started), and whether
 * threads waited meanwhile. A thread that waits beside a ready task waits for the runtime; of several threads
 * only as many as there are tasks do. Of more threads than processors those that have none cost nothing: as
 * many count as are more than have to wait while all processors are used. */
#include "report/collect/collect.h"

enum { WAKE_US = 100 };

static struct live_team *team_of(const struct collector *collector, uint32_t slot, uint64_t id) {
  struct live_team *live_team =
      id && slot < collector->live_team_capacity ? &collector->live_teams[slot] : NULL;
  return live_team && live_team->id == id ? live_team : NULL;
}

static void add_to_slice(struct ready_slice *slice, double ticks, double tasks) {
  slice->ticks += ticks;
  slice->tasks += ticks * tasks;
}

/* Two slices become one, so that there is room for twice the time. */
static void widen(struct report_ready *ready) {
  for (int i = 0; i < REPORT_READY_SLICES; i++) {
    struct ready_slice sum = {0};
    for (int k = 2 * i; k < 2 * i + 2 && k < REPORT_READY_SLICES; k++) {
      sum.ticks += ready->slices[k].ticks;
      sum.tasks += ready->slices[k].tasks;
    }
    ready->slices[i] = sum;
  }
  ready->slice_ticks *= 2;
}

/* Time in which so many could begin, cut where slices end. */
static void add_to_slices(struct report_ready *ready, uint64_t begin, uint64_t end, double tasks) {
  ready->slice_ticks = ready->slice_ticks ? ready->slice_ticks : 1;
  ready->begin_ticks = ready->begin_ticks ? ready->begin_ticks : begin;
  begin = begin > ready->begin_ticks ? begin - ready->begin_ticks : 0;
  end = end > ready->begin_ticks ? end - ready->begin_ticks : 0;
  while (end > 0 && (end - 1) / REPORT_READY_SLICES >= ready->slice_ticks) /* a product may be beyond 2^64 */
    widen(ready);
  while (begin < end) {
    uint64_t slice = begin / ready->slice_ticks, until = end;
    if (slice + 1 < REPORT_READY_SLICES && (slice + 1) * ready->slice_ticks < end)
      until = (slice + 1) * ready->slice_ticks;
    add_to_slice(&ready->slices[slice], (double)(until - begin), tasks);
    begin = until;
  }
}

/* All wait although there are tasks, or right after the last one: none is ready, and none runs. Until the
 * runtime has somebody go on, begin the rest of an untied one, or notice an end. What lasts longer than a
 * thread needs to be woken is something else (a device, an event of a detached task). */
static bool is_idle(const struct collector *collector, const struct live_team *live_team, uint64_t ticks) {
  const struct live_ready *live = &live_team->ready;
  uint64_t us = collector->trace->clock.ticks_per_second / 1000000;
  bool has_tasks = live_team->ended < live_team->tasks || live_team->task_end_ticks > live->idle_ticks ||
                   live->ticks == live->idle_ticks;
  return has_tasks && live->tasks == 0 && live->waiting == live_team->size && ticks <= WAKE_US * us;
}

/* Up to now all was as it is. */
static void advance(struct collector *collector, struct live_team *live_team) {
  struct live_ready *live = &live_team->ready;
  uint64_t now = collector_cut(collector, collector->now_ticks), ticks = now - live->ticks;
  if (now <= live->ticks)
    return;
  if (live->sums) {
    if (live->tasks > live->sums->most)
      live->sums->most = live->tasks;
    add_to_slices(live->sums, live->ticks, now, (double)live->tasks);
  }
  if (live->sums && live->waiting > live_team->crowd) {
    uint32_t idle = live->waiting - live_team->crowd, both = live->tasks < idle ? live->tasks : idle;
    live->sums->beside += (double)ticks * both;
    live->sums->without += (double)ticks * (idle - both);
    if (is_idle(collector, live_team, ticks)) {
      live->sums->idle += (double)ticks * (idle - both);
      live->idle_ticks = now;
    }
  }
  live->ticks = now;
}

static void change(struct collector *collector, struct live_task *live_task, struct live_team *live_team,
                   bool is_ready) {
  struct live_ready *live = &live_team->ready;
  advance(collector, live_team);
  live_task->is_ready = is_ready;
  live->tasks += is_ready ? 1 : -1u;
  if (live->tasks == 0)
    live->emptied_ticks = collector->now_ticks;
}

/* Threads that wait since before the first task. */
static void notice_all(struct collector *collector) {
  collector->has_tasks = true;
  for (size_t i = 0; i < collector->trace->location_count; i++)
    ready_notice(collector, i);
}

void ready_create(struct collector *collector, const struct replay_team *team,
                  struct report_parallel *parallel, struct live_task *live_task, bool is_ready) {
  struct live_team *live_team = team ? team_of(collector, team->slot, team->id) : NULL;
  if (!live_team)
    return;
  if (!collector->has_tasks)
    notice_all(collector);
  advance(collector, live_team);
  live_team->ready.sums = parallel ? &parallel->ready_tasks : NULL;
  live_task->team = team->id;
  live_task->team_slot = team->slot;
  if (is_ready)
    change(collector, live_task, live_team, true);
}

void ready_wait_for(struct collector *collector, struct live_task *sink) {
  sink->unmet++;
  ready_remove(collector, sink);
}

void ready_satisfied(struct collector *collector, struct live_task *sink) {
  struct live_team *live_team = team_of(collector, sink->team_slot, sink->team);
  if (sink->unmet == 0 || --sink->unmet > 0 || sink->has_started || sink->is_ready || !live_team)
    return;
  change(collector, sink, live_team, true);
}

void ready_remove(struct collector *collector, struct live_task *live_task) {
  struct live_team *live_team = team_of(collector, live_task->team_slot, live_task->team);
  if (live_task->is_ready && live_team)
    change(collector, live_task, live_team, false);
  live_task->is_ready = false;
}

void ready_notice_change(struct collector *collector, size_t location, const struct replay_team *team) {
  struct report_location *here = &collector->locations[location];
  struct live_team *left = team_of(collector, here->waits_in_slot, here->waits_in);
  struct live_team *entered = team ? team_of(collector, team->slot, team->id) : NULL;
  here->waits_in = team ? team->id : 0;
  here->waits_in_slot = team ? team->slot : 0;
  if (left) {
    advance(collector, left);
    left->ready.waiting--;
  }
  if (entered) {
    advance(collector, entered);
    entered->ready.waiting++;
    taskwaits_idle(here, entered);
  }
}

void ready_end(struct collector *collector, struct live_team *live_team) {
  if (collector->has_tasks)
    advance(collector, live_team);
}
