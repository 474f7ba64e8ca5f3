/* Whether threads had processors, where the archive has it (STAVE_SYSTEM): each time between two events of a
 * thread is charged to the state that it was in. What preemption costs is found phase by phase (see
 * phases.c): the last to come to a barrier would have come earlier by what it was preempted before,
 * and then another one may have been the last. */
#include <string.h>

#include "report/collect/collect.h"
#include "stave/names.h"

/* A thread that waits and has had its processor for less than this gave it away, as far as that shows:
 * to the kernel sched_yield and the end of a time slice are the same, but no slice is so short. */
enum { YIELDS_WITHIN_US = 100 };

static bool is_metric(const struct collector *collector, const struct trace_event *event, const char *name) {
  const struct trace_metric_member *member =
      trace_metric_member_of(collector->trace, event->Metric.metric, 0);
  return member && strcmp(member->name, name) == 0;
}

static bool is_waiting(enum activity activity) {
  return activity == ACTIVITY_BARRIER_WAIT || activity == ACTIVITY_TASK_WAIT ||
         activity == ACTIVITY_LOCK_WAIT || activity == ACTIVITY_MPI;
}

static uint32_t region_of(const struct collector *collector, const struct replay_now *now) {
  if (now->activity == ACTIVITY_IDLE || !now->task)
    return REPLAY_NONE;
  return collector_construct(collector, now->task);
}

/* NULL: it does not wait. */
static struct report_waiting *waiting_of(struct collector *collector, const struct replay_now *now) {
  struct report *report = collector->report;
  uint32_t region = region_of(collector, now);
  if (now->activity == ACTIVITY_IDLE)
    return &report->idle;
  return is_waiting(now->activity) && region != REPLAY_NONE ? &report->regions[region].waiting : NULL;
}

/* Of a thread that does not wait. */
static uint64_t *working_of(struct collector *collector, const struct replay_now *now) {
  uint32_t region = region_of(collector, now);
  struct report *report = collector->report;
  return region == REPLAY_NONE ? report->running_outside : report->regions[region].running;
}

static bool has_yielded(const struct collector *collector, const struct report_location *here,
                        uint64_t ticks) {
  uint64_t since = here->ran_since > here->worked_until ? here->ran_since : here->worked_until;
  double most = (double)collector->trace->clock.ticks_per_second * YIELDS_WITHIN_US / 1e6;
  return ticks >= since && (double)(ticks - since) < most;
}

static void count_states(struct report_thread *thread, struct report_waiting *waiting,
                         enum report_running is) {
  thread->preemptions += is == RUNNING_PREEMPTED;
  thread->yields += is == RUNNING_YIELDED;
  thread->blocks += is == RUNNING_BLOCKED;
  if (waiting) {
    waiting->yields += is == RUNNING_YIELDED;
    waiting->sleeps += is == RUNNING_BLOCKED;
  }
}

static void set_state(struct collector *collector, const struct trace_event *event, uint64_t state) {
  struct report_thread *thread = &collector->report->threads[event->location];
  struct report_location *here = &collector->locations[event->location];
  struct replay_now now = replay_now(collector->replay, event->location);
  struct report_waiting *waiting = waiting_of(collector, &now);
  enum report_running is =
      state <= STAVE_RUN_STATE_BLOCKED ? RUNNING_ON + (enum report_running)state : RUNNING_UNKNOWN;
  if (is == RUNNING_PREEMPTED && waiting && has_yielded(collector, here, event->ticks))
    is = RUNNING_YIELDED;
  if (is == RUNNING_ON)
    here->ran_since = event->ticks;
  here->running = is;
  collector->report->has_running = true;
  if (collector_is_inside(collector, event->ticks))
    count_states(thread, waiting, is);
}

/* It is counted since the thread's beginning; an archive of a run's end has at its first time what was
 * before. */
static void note_faults(struct collector *collector, const struct trace_event *event,
                        struct report_thread *thread, uint64_t faults) {
  uint64_t first = collector->trace->clock.first_ticks, from = collector->report->from_ticks;
  if (event->ticks <= (from > first ? from : first))
    collector->locations[event->location].faults_before = faults;
  else if (collector_is_inside(collector, event->ticks))
    thread->faults = faults - collector->locations[event->location].faults_before;
}

void running_on_metric(struct collector *collector, const struct trace_event *event) {
  struct report_thread *thread = &collector->report->threads[event->location];
  if (event->Metric.count != 1)
    return;
  uint64_t value = trace_metric_value(event, 0).number;
  bool is_inside = collector_is_inside(collector, event->ticks);
  if (is_metric(collector, event, STAVE_METRIC_RUN_STATE))
    set_state(collector, event, value);
  else if (is_metric(collector, event, STAVE_METRIC_RUN_PROCESSOR)) {
    thread->migrations += thread->processor_known && is_inside;
    thread->processor_known = true;
  } else if (is_metric(collector, event, STAVE_METRIC_PAGE_FAULTS)) {
    note_faults(collector, event, thread, value);
  }
}

void running_on_pause(struct collector *collector, const struct trace_event *event) {
  collector->locations[event->location].running = RUNNING_UNKNOWN;
}

/* -- charging -- */

/* The time after one that was the same goes on. */
static void note_preempted(struct report_location *here, uint64_t begin, uint64_t end) {
  if (here->preempted_end != begin)
    here->preempted_begin = begin;
  here->preempted_end = end;
}

static void charge_preempted(struct collector *collector, const struct replay_now *now,
                             struct live_member *member, uint64_t ticks) {
  struct report *report = collector->report;
  if (is_waiting(now->activity) || now->activity == ACTIVITY_IDLE)
    return;
  report->preempted_useful += activity_is_useful(now->activity) ? ticks : 0;
  if (!member)
    report->preempted_serial += ticks;
  else if (now->activity == ACTIVITY_TASK)
    member->preempted_in_tasks += ticks;
  else
    member->preempted_in_phase += ticks;
}

void running_charge(struct collector *collector, size_t location, const struct replay_now *now,
                    struct live_member *member, uint64_t begin, uint64_t end) {
  struct report_location *here = &collector->locations[location];
  struct report *report = collector->report;
  uint64_t ticks = end - begin;
  struct report_waiting *waiting = waiting_of(collector, now);
  uint64_t *place = waiting ? waiting->running : working_of(collector, now);
  /* Where it was lost that it had a processor again, what it does after its waiting is not yielding. */
  enum report_running is = !waiting && here->running == RUNNING_YIELDED ? RUNNING_PREEMPTED : here->running;
  report->threads[location].running[is] += ticks;
  place[is] += ticks;
  here->worked_until = waiting ? here->worked_until : end;
  if (here->running != RUNNING_PREEMPTED && here->running != RUNNING_YIELDED)
    return;
  note_preempted(here, begin, end);
  charge_preempted(collector, now, member, ticks);
}

uint64_t running_preempted_since(const struct collector *collector, size_t location, uint64_t since,
                                 uint64_t until) {
  const struct report_location *here = &collector->locations[location];
  uint64_t begin = here->preempted_begin > since ? here->preempted_begin : since;
  uint64_t end = here->preempted_end < until ? here->preempted_end : until;
  return collector->report->has_running && end > begin ? end - begin : 0;
}
