/* What is computed once when all events have gone by: the efficiencies, and what disturbs the numbers. */
#include <stdlib.h>
#include <string.h>

#include "report/collect.h"
#include "stave/names.h"

/* Of the callback in OMPT. */
#define DISPATCH_NUMBER "32"

/* A loop that was given out in chunks says so in its schedule, but libomp 14 does not tell that of all. */
static bool lacks_chunks(const struct report *report) {
  const char *delivery = trace_archive_property(report->trace, STAVE_PROPERTY_SET_CALLBACK DISPATCH_NUMBER);
  if (!delivery || strcmp(delivery, "always") == 0)
    return false;
  for (size_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].loop && construct_of_region(&report->trace->regions[i]) == CONSTRUCT_loop)
      return true;
  return false;
}

void caveats_find(struct report *report) {
  const struct trace *trace = report->trace;
  const char *complete = trace_archive_property(trace, "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE");
  report->caveats.is_incomplete = complete && strcmp(complete, "false") == 0;
  report->processors = trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS);
  report->caveats.lost_events = trace_lost_events(trace);
  report->caveats.lacks_chunks = lacks_chunks(report);
  for (size_t i = 0; i < trace->location_count; i++) {
    report->caveats.stalls += report->threads[i].stalls;
    report->caveats.stall_ticks += report->threads[i].stall_ticks;
  }
}

static double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

static bool is_cpu(const struct report_thread *thread) {
  uint64_t busy =
      thread->activity[ACTIVITY_SERIAL] + thread->activity[ACTIVITY_WORK] + thread->activity[ACTIVITY_TASK];
  return thread->is_seen && !thread->is_device && (thread->is_in_teams || busy > 0);
}

/* The location whose useful time in teams is longest: what it loses is not lost by imbalance. */
static size_t add_up_threads(struct report *report) {
  size_t longest = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    struct report_thread *thread = &report->threads[i];
    if (!is_cpu(thread))
      continue;
    report->cpus++;
    for (int a = 0; a < ACTIVITY_COUNT; a++) {
      report->activity[a] += thread->activity[a];
      if (activity_is_useful((enum activity)a) && a != ACTIVITY_DEVICE)
        report->useful += thread->activity[a];
    }
    if (thread->useful_in_teams > report->threads[longest].useful_in_teams)
      longest = i;
  }
  return longest;
}

void efficiency_find(struct report *report) {
  size_t longest = add_up_threads(report);
  double n = (double)report->cpus, wall = (double)report->wall, parallel = (double)report->parallel;
  double in_teams = 0, most = 0, overhead = 0;
  for (size_t i = 0; i < report->trace->location_count; i++)
    in_teams += (double)report->threads[i].useful_in_teams;
  if (report->trace->location_count > 0) {
    const uint64_t *activity = report->threads[longest].activity;
    most = (double)report->threads[longest].useful_in_teams;
    overhead = (double)(activity[ACTIVITY_OVERHEAD] + activity[ACTIVITY_TASK_MANAGEMENT] +
                        activity[ACTIVITY_REDUCTION]);
  }
  report->parallel_efficiency = ratio((double)report->useful, n * wall);
  report->serial_efficiency = ratio((double)report->serial + n * parallel, n * wall);
  report->thread_efficiency = ratio(in_teams, n * parallel);
  report->load_balance = ratio(in_teams, n * most);
  report->runtime_efficiency = parallel > overhead ? (parallel - overhead) / parallel : 0;
  report->serialisation = ratio(most, parallel - overhead);
}
