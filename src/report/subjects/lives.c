/* Threads' lives: a runtime that makes new threads for each nested region (libgomp), and a program that makes
 * its own, have many in turn, of which few live at a time. Who begins gets the place of one that has ended,
 * so that there are as many places as threads live at a time at most: that many are the threads of the run.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "report/collect/analyser.h"

/* Where a life begins or ends. */
struct edge_of_life {
  uint64_t ticks;
  size_t process;
  uint32_t location;
  bool is_begin;
};

/* -- events: of archives of others nobody knows when threads ended -- */

static bool observes_construct(enum construct construct) {
  return construct == CONSTRUCT_worker || construct == CONSTRUCT_program;
}

void lives_begin(struct collector *collector, uint32_t location) {
  const struct report_thread *thread = &collector->report->threads[location];
  if (thread->has_life && thread->start_ticks > collector->trace->clock.first_ticks &&
      collector->account.lines)
    account_line_begin(&collector->account.lines[location], (double)thread->start_ticks);
}

static void before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  struct report_thread *thread = &collector->report->threads[event->location];
  (void)region, (void)now;
  if (thread->has_life)
    return;
  thread->has_life = true;
  thread->start_ticks = event->ticks;
  lives_begin(collector, event->location);
}

/* Of regions that are open at the end there is no such event. */
static void before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  (void)region, (void)now;
  collector->report->threads[event->location].ended_ticks = event->ticks;
}

/* -- places -- */

bool report_is_cpu(const struct report_thread *thread) {
  uint64_t busy = thread->activity[ACTIVITY_SERIAL] + thread->activity[ACTIVITY_WORK] +
                  thread->activity[ACTIVITY_TASK] + thread->activity[ACTIVITY_MPI];
  return thread->is_seen && !thread->is_device && !thread->is_runtimes && (thread->is_in_teams || busy > 0);
}

/* Who ends gives its place to who begins at the same time. */
static int in_order(const void *left, const void *right) {
  const struct edge_of_life *a = left, *b = right;
  if (a->process != b->process)
    return a->process < b->process ? -1 : 1;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? -1 : 1;
  if (a->is_begin != b->is_begin)
    return a->is_begin ? 1 : -1;
  return (a->location > b->location) - (a->location < b->location);
}

static size_t add_edges(const struct report *report, struct edge_of_life *edges) {
  size_t count = 0;
  for (uint32_t i = 0; i < report->trace->location_count; i++) {
    const struct report_thread *thread = &report->threads[i];
    uint64_t begin = thread->has_life ? thread->start_ticks : 0;
    uint64_t end = thread->has_life && thread->ended_ticks > begin ? thread->ended_ticks : UINT64_MAX;
    if (!report_is_cpu(thread) || begin > report->to_ticks || end <= report->from_ticks)
      continue;
    edges[count++] = (struct edge_of_life){begin, thread->process, i, true};
    edges[count++] = (struct edge_of_life){end, thread->process, i, false};
  }
  return count;
}

/* Of one process at a time: nobody has a place of another one's. */
static void give_places(struct report *report, const struct edge_of_life *edges, size_t count, size_t *left) {
  size_t left_count = 0;
  for (size_t i = 0; i < count; i++) {
    struct report_thread *thread = &report->threads[edges[i].location];
    thread->has_place = true;
    left_count = i > 0 && edges[i].process != edges[i - 1].process ? 0 : left_count;
    if (!edges[i].is_begin)
      left[left_count++] = thread->place;
    else if (left_count > 0)
      thread->place = left[--left_count];
    else {
      thread->place = report->cpus++;
      report->processes[edges[i].process].cpus++;
    }
  }
}

static void add_places(struct report *report) {
  report->places = memory_get(report->cpus, sizeof *report->places);
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_thread *thread = &report->threads[i];
    if (!thread->has_place)
      continue;
    struct report_place *place = &report->places[thread->place];
    place->process = thread->process;
    place->useful_in_teams += thread->useful_in_teams;
    place->overhead += thread->activity[ACTIVITY_OVERHEAD] + thread->activity[ACTIVITY_TASK_MANAGEMENT] +
                       thread->activity[ACTIVITY_REDUCTION];
  }
}

void lives_find(struct report *report) {
  size_t room = 2 * report->trace->location_count;
  struct edge_of_life *edges = memory_get(room, sizeof *edges);
  size_t *left = memory_get(room, sizeof *left);
  size_t count = add_edges(report, edges);
  report->threads_ever = count / 2;
  qsort(edges, count, sizeof *edges, in_order);
  give_places(report, edges, count, left);
  add_places(report);
  for (size_t i = 0; i < PROCESS_COUNT(report->trace); i++)
    report->process_count += report->processes[i].cpus > 0;
  free(edges);
  free(left);
}

/* -- how long -- */

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

double life_of(const struct report *report, const struct report_thread *thread) {
  uint64_t first = report->first_ticks, last = report->last_ticks;
  /* There was one thread before the first event. */
  uint64_t first_seen = report->life.start_ticks ? report->trace->clock.first_ticks : first;
  bool is_first = thread->has_life && thread->start_ticks <= first_seen;
  uint64_t begin = is_first ? first : later(first_seen, thread->has_life ? thread->start_ticks : 0);
  uint64_t end = thread->has_life && thread->ended_ticks > thread->start_ticks
                     ? earlier(thread->ended_ticks, last)
                     : last;
  return end > begin ? (double)(end - begin) : 0;
}

const struct analyser lives_analyser = {
    .observes_construct = observes_construct, .before_enter = before_enter, .before_leave = before_leave};
