/* Threads that wait by themselves: they look at a variable again and again, with a flush in between, until
 * another thread has written to it. To the runtime that is work. The events show it as flushes in a row at
 * one place, as close together as the loop of such a wait makes them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plural.h"
#include "report/collect/analyser.h"
#include "report/finding.h"
#include "report/subjects/locks.h"

/* A flush, its callback, and a look at a variable that another processor may have, take 20 to 250 ns. A loop
 * that does something besides needs longer, which is no waiting; a look that is disturbed may, too, and does
 * not end the row. What ends a wait is a flush of the thread that has written: so far from the last one of
 * who waited. */
enum { APART_NS = 250, DISTURBED_NS = 2000, END_NS = 2000, ROW_MIN = 4, WRITES = 64 };

/* Most waits are ended by another thread's flush, where that is what is waited for. */
static const double ENDED_SHARE = 0.5;

/* The flushes of one thread in a row. */
struct flush_row {
  uint32_t region, count;
  uint64_t ticks; /* of the last one */
};

/* One place with flushes. */
struct busy_wait {
  uint64_t waits, ended, flushes, ticks; /* ended: by a flush of another thread */
};

/* A flush that may follow a write: the last ones of all threads are a ring. */
struct flush_write {
  uint64_t ticks, location;
};

struct busy_waits {
  struct flush_row *rows;    /* by location; NULL: the archive has no flushes */
  struct busy_wait *regions; /* by region */
  struct flush_write writes[WRITES];
  uint64_t write_count, apart_ticks, disturbed_ticks, end_ticks;
};

static struct busy_waits *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, busy_waits);
}

static bool has_flushes(const struct collector *collector) {
  for (size_t i = 0; i < collector->trace->region_count; i++)
    if (collector->interests[i].construct == CONSTRUCT_flush)
      return true;
  return false;
}

static void prepare(struct collector *collector) {
  struct busy_waits *busy = state_of(collector);
  double ns = (double)collector->trace->clock.ticks_per_second / 1e9;
  analyser_watch(collector, ANALYSER_busy_waits, has_flushes(collector));
  if (!has_flushes(collector))
    return;
  busy->rows = memory_get(collector->trace->location_count, sizeof *busy->rows);
  busy->regions = memory_get(collector->trace->region_count, sizeof *busy->regions);
  busy->apart_ticks = (uint64_t)(APART_NS * ns);
  busy->disturbed_ticks = (uint64_t)(DISTURBED_NS * ns);
  busy->end_ticks = (uint64_t)(END_NS * ns);
}

/* -- rows -- */

static uint64_t distance(uint64_t one, uint64_t other) {
  return one > other ? one - other : other - one;
}

static bool was_ended(const struct busy_waits *busy, uint64_t location, uint64_t ticks) {
  uint64_t oldest = busy->write_count > WRITES ? busy->write_count - WRITES : 0;
  for (uint64_t i = busy->write_count; i-- > oldest;) {
    const struct flush_write *one = &busy->writes[i % WRITES];
    if (one->location != location && distance(one->ticks, ticks) <= busy->end_ticks)
      return true;
  }
  return false;
}

static void end_row(struct busy_waits *busy, size_t location) {
  struct flush_row *row = &busy->rows[location];
  if (row->count >= ROW_MIN)
    busy->regions[row->region].ended += was_ended(busy, location, row->ticks);
  *row = (struct flush_row){0};
}

/* The time since the flush before was waiting: of the phase, as that for a lock is. */
static void charge_wait(struct collector *collector, const struct trace_event *event, uint32_t region,
                        struct replay_now *now, uint64_t ticks) {
  struct replay_lock_event wait = {.location = event->location, .task = now->task, .region = region};
  now->activity = ACTIVITY_LOCK_WAIT;
  state_of(collector)->regions[region].ticks += ticks;
  if (locks_is_members(collector, &wait))
    phases_add_wait(collector, &wait, ticks);
  else
    collector_mutex(collector, region)->outside += ticks;
}

static void go_on(struct collector *collector, const struct trace_event *event, uint32_t region,
                  struct replay_now *now) {
  struct busy_waits *busy = state_of(collector);
  struct flush_row *row = &busy->rows[event->location];
  uint64_t ticks = event->ticks - row->ticks;
  row->ticks = event->ticks;
  if (ticks > busy->apart_ticks)
    return;
  row->count++;
  busy->regions[region].waits += row->count == ROW_MIN;
  busy->regions[region].flushes += row->count == ROW_MIN ? ROW_MIN : row->count > ROW_MIN;
  if (row->count >= ROW_MIN)
    charge_wait(collector, event, region, now, ticks);
}

static void begin_row(struct busy_waits *busy, const struct trace_event *event, uint32_t region) {
  end_row(busy, event->location);
  busy->writes[busy->write_count++ % WRITES] = (struct flush_write){event->ticks, event->location};
  busy->rows[event->location] = (struct flush_row){region, 1, event->ticks};
}

/* It has to be known before the time since the last event is charged as work. */
static void before_every(struct collector *collector, const struct trace_event *event, uint32_t region,
                         struct replay_now *now) {
  struct busy_waits *busy = state_of(collector);
  if (event->kind != TRACE_Enter || region == REPLAY_NONE ||
      collector->interests[region].construct != CONSTRUCT_flush ||
      !collector_is_inside(collector, event->ticks))
    return;
  const struct flush_row *row = &busy->rows[event->location];
  bool is_work = now->activity == ACTIVITY_WORK || now->activity == ACTIVITY_TASK;
  if (row->count > 0 && row->region == region && is_work &&
      event->ticks - row->ticks <= busy->disturbed_ticks)
    go_on(collector, event, region, now);
  else
    begin_row(busy, event, region);
}

static void finish(struct collector *collector) {
  struct busy_waits *busy = state_of(collector);
  for (size_t i = 0; busy->rows && i < collector->trace->location_count; i++)
    end_row(busy, i);
}

/* -- findings -- */

/* With more threads than processors who waits so has a processor meanwhile that the others need. */
static double gain_of(const struct report *report, const struct busy_wait *wait,
                      const struct report_mutex *mutex) {
  double processors = processors_at_most(report, finding_team(report));
  return finding_is_in_crowd(report) ? (double)wait->ticks / processors : locks_gain(report, mutex);
}

static void describe(struct report *report, struct report_finding *finding, const struct busy_wait *wait) {
  struct finding_texts texts = {.report = report};
  finding_printf(finding->what, "threads wait for each other in loops around %s",
                 finding_label(&texts, finding->region));
  finding_printf(finding->evidence,
                 "%" PRIu64 " flushes at most %d ns apart, for %s in all, in %" PRIu64
                 " row%s, of which %" PRIu64 " end%s as another thread flushes",
                 wait->flushes, APART_NS, finding_time(&texts, (double)wait->ticks), wait->waits,
                 plural(wait->waits), wait->ended, wait->ended == 1 ? "s" : "");
}

/* What they do with the processors then is not known from this run. */
static void describe_crowd(struct report *report, struct report_finding *finding) {
  char advice[FINDING_BYTES];
  memcpy(advice, finding->advice, sizeof advice);
  finding_unsure(finding, finding->gain_ticks, finding_crowd());
  finding_printf(finding->advice,
                 "no more threads than processors (OMP_NUM_THREADS=%" PRIu64
                 "): who waits so keeps its processor from those for whom it waits; then %s",
                 report->processors.count, advice);
}

static void find_wait(struct report *report, uint32_t region, const struct busy_wait *wait) {
  struct report_mutex *mutex = report->regions[region].mutex;
  struct report_finding *finding =
      finding_add(report, CAUSE_BUSY_WAITING, region, gain_of(report, wait, mutex));
  if (!finding)
    return;
  if (mutex->parallel != REPLAY_NONE)
    report->regions[mutex->parallel].parallel->moved -= mutex->moved;
  describe(report, finding, wait);
  if (finding_is_in_crowd(report)) /* a wait ends there as its thread gets a processor again */
    describe_crowd(report, finding);
  else
    finding_scatter(finding, &mutex->gains);
  if (!finding_is_in_crowd(report) && (double)wait->ended < ENDED_SHARE * (double)wait->waits)
    finding->doubt = "most rows of flushes end without another thread's flush: they may be work";
}

static void find(struct collector *collector) {
  const struct busy_waits *busy = state_of(collector);
  for (uint32_t i = 0; busy->regions && i < collector->trace->region_count; i++)
    if (busy->regions[i].ticks > 0 && collector->report->regions[i].mutex)
      find_wait(collector->report, i, &busy->regions[i]);
}

static void release(struct collector *collector) {
  free(state_of(collector)->rows);
  free(state_of(collector)->regions);
}

const struct analyser busy_waits_analyser = {.state_bytes = sizeof(struct busy_waits),
                                             .prepare = prepare,
                                             .before_every = before_every,
                                             .finish = finish,
                                             .find = find,
                                             .release = release};
