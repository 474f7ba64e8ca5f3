/* The processors that the process might use: how many, and who used them. */
#include "report/collect/collect.h"
#include "stave/names.h"

/* The kernel counts by clock ticks: each of the two readings may be one off for each processor, and for the
 * process. */
#define TICK_S 0.01
#define OTHERS_SHARE_MIN 0.01

/* Of the time in parallel regions. */
#define CROWDED_SHARE 0.5

/* Of the wall time: by how much longer a run with fewer threads would be. Alternating threads cause smaller
 * shares, too. */
#define FEWER_SHARE 0.1

/* Of a region's time: of so much it has to be known what its threads ran. */
#define ACCOUNTED_MIN 0.5

/* Of the processors: threads that need no more than that do not need them from each other, but now and
 * then. */
#define LEFT_MIN 0.5

/* Of a region's time: so much shows how its threads wait, which is the same all the time. */
#define SEEN_MIN 0.1

/* Of what a region's threads lose: where they sleep in that for longer, they do not keep their processors. */
#define ASLEEP_MAX 0.1

void processors_find(struct report *report) {
  const struct trace *trace = report->trace;
  struct report_processors *processors = &report->processors;
  double second = (double)trace->clock.ticks_per_second, ns = second / 1e9;
  bool is_part = report->from_ticks > 0 || report->to_ticks < UINT64_MAX;
  processors->count = trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS);
  if (is_part || !trace_archive_property(trace, STAVE_PROPERTY_PROCESSORS_BUSY_NS) || processors->count == 0)
    return;
  double busy = ns * (double)trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS_BUSY_NS);
  double writer = ns * (double)trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS_WRITER_NS);
  processors->own = ns * (double)trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS_OWN_NS);
  if (processors->own <
      TICK_S * second) /* too short a run for such a count: others would have used all of it */
    return;
  processors->is_known = true;
  processors->writer = writer;
  processors->all = busy + ns * (double)trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS_IDLE_NS);
  double ticks = TICK_S * second * (double)(processors->count + 1);
  double stolen = ns * (double)trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS_STOLEN_NS);
  double share = busy > stolen ? processors->own / (busy - stolen) : 1;
  processors->stolen = stolen > ticks ? stolen * (share < 1 ? share : 1) : 0;
  processors->others = busy - stolen - processors->own - writer - ticks;
  if (processors->others < OTHERS_SHARE_MIN * processors->all)
    processors->others = 0;
}

/* Processor time of Stave's writer and callbacks during the region, as its part of the wall time: untraced,
 * the threads beyond the number of processors would have had it. */
double processors_traced(const struct report *report, const struct report_parallel *parallel) {
  double callbacks = (double)report->caveats.callbacks * (double)report->caveats.callback_ticks;
  double part = report->wall > 0 ? (double)parallel->wall / (double)report->wall : 0;
  return (report->processors.writer + callbacks) * (part < 1 ? part : 1);
}

double processors_at_most(const struct report *report, double threads) {
  double count = (double)report->processors.count;
  return count > 0 && count < threads ? count : threads;
}

double processors_sharing(const struct report *report, const struct report_parallel *parallel,
                          double threads) {
  double count = (double)report->processors.count, wall = (double)parallel->wall;
  if (count == 0 || threads <= count || parallel->gain <= 0)
    return 1;
  double most = wall - ((wall - parallel->gain) * threads + processors_traced(report, parallel)) / count;
  return most <= 0 ? 0 : most < parallel->gain ? most / parallel->gain : 1;
}

double processors_bound(const struct report *report, const struct report_parallel *parallel, double threads) {
  double count = (double)report->processors.count, wall = (double)parallel->wall;
  if (count == 0 || threads <= count || parallel->accounted < ACCOUNTED_MIN * (double)parallel->thread_time)
    return wall;
  double scale = (double)parallel->thread_time / parallel->accounted;
  double worked = (wall - parallel->gain) * threads - parallel->ready * scale, ran = parallel->ran * scale;
  worked = worked < ran ? worked : ran;
  worked = worked > 0 ? worked + processors_traced(report, parallel) : worked;
  return worked <= 0 ? wall : worked >= wall * count ? 0 : wall - worked / count;
}

/* Threads that sleep in their work leave the processors idle, too. */
double processors_idle(const struct report *report, const struct report_parallel *parallel) {
  double count = (double)report->processors.count, wall = (double)parallel->wall, idle = parallel->idle_room;
  if (!processors_are_too_few(report, parallel) ||
      parallel->accounted < ACCOUNTED_MIN * (double)parallel->thread_time)
    return wall;
  double scale = (double)parallel->thread_time / parallel->accounted;
  double waited =
      (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] + parallel->activity[ACTIVITY_TASK_WAIT]);
  double asleep = (double)parallel->thread_time - (parallel->ran + parallel->ready) * scale - waited;
  double unused = (wall - idle) * count - parallel->ran * scale;
  unused = unused < asleep ? unused : asleep;
  return idle + (unused > 0 ? unused / count : 0);
}

/* Of what its threads wait, as the account has it: those that sleep leave their processors to others. */
bool processors_are_held(const struct report *report, const struct report_parallel *parallel) {
  if (!processors_are_too_few(report, parallel) ||
      parallel->accounted < SEEN_MIN * (double)parallel->thread_time)
    return false;
  double lost = parallel->gain * (double)parallel->members / (double)parallel->instances;
  double asleep = parallel->accounted - parallel->ran - parallel->ready;
  return asleep < ASLEEP_MAX * lost * parallel->accounted / (double)parallel->thread_time;
}

/* Its threads are more than the processors, but sleep, in their work too. */
bool processors_are_left(const struct report *report, const struct report_parallel *parallel) {
  if (parallel->accounted < ACCOUNTED_MIN * (double)parallel->thread_time)
    return false;
  double share = (parallel->ran + parallel->ready) / parallel->accounted;
  return share * (double)processors_needed(parallel) < LEFT_MIN * (double)report->processors.count;
}

uint64_t processors_needed(const struct report_parallel *parallel) {
  return parallel->is_nested ? parallel->at_once : parallel->smallest;
}

uint64_t report_crowding_threads(const struct report *report) {
  uint64_t threads = 0;
  double time = 0;
  for (size_t i = 0; i < report->trace->region_count; i++) {
    const struct report_parallel *parallel = report->regions[i].parallel;
    if (!parallel || parallel->is_nested || !processors_are_too_few(report, parallel))
      continue;
    threads = parallel->smallest > threads ? parallel->smallest : threads;
    time += (double)parallel->wall;
  }
  return time > CROWDED_SHARE * (double)report->parallel * (double)report->process_count ? threads : 0;
}

/* What the thread did on a processor. */
static double ran_useful(const struct report_parallel *parallel, size_t location) {
  double own = (double)parallel->useful[location] - parallel->accounted_of[location].ready_useful;
  return own > 0 ? own : 0;
}

/* Neighbours of a team have neighbouring iterations, which a static schedule would give one of fewer threads.
 * Returns the part of all work that the busiest of these would have. */
static double share_of_group(const struct report *report, const struct report_parallel *parallel) {
  double longest = 0, group = 0, all = 0;
  uint64_t each = (parallel->smallest + report->processors.count - 1) / report->processors.count, members = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    if (parallel->useful[i] == 0)
      continue;
    group = members++ % each == 0 ? 0 : group;
    group += ran_useful(parallel, i);
    all += ran_useful(parallel, i);
    longest = group > longest ? group : longest;
  }
  return all > 0 ? longest / all : 0;
}

/* While as many threads work as there are processors these do the same in less time. */
static double lost_with_fewer(const struct report *report, const struct report_parallel *parallel) {
  double idle = parallel->idle_room < (double)parallel->wall ? parallel->idle_room : (double)parallel->wall;
  double all = ((double)parallel->wall - idle) * (double)report->processors.count;
  return all * share_of_group(report, parallel) - (double)parallel->wall;
}

/* Tasks go to whoever is free. */
static bool is_even_by_crowd(const struct report *report, const struct report_parallel *parallel) {
  return processors_are_too_few(report, parallel) && !parallel->is_nested && parallel->tasks == 0 &&
         parallel->useful && parallel->accounted_of &&
         parallel->accounted >= ACCOUNTED_MIN * (double)parallel->thread_time;
}

bool report_is_evened_out(const struct report *report) {
  double lost = 0;
  for (size_t i = 0; i < report->trace->region_count; i++) {
    const struct report_parallel *parallel = report->regions[i].parallel;
    if (parallel && is_even_by_crowd(report, parallel))
      lost += lost_with_fewer(report, parallel);
  }
  return report->process_count == 1 && lost > FEWER_SHARE * (double)report->wall;
}

bool report_has_one_thread(const struct report *report) {
  return report->process_count == 1 && report->cpus == 1 && report->forks > 0 &&
         report->processors.count > 1 && report->caveats.lost_events == 0;
}

bool processors_are_too_few(const struct report *report, const struct report_parallel *parallel) {
  return report->processors.count > 0 && processors_needed(parallel) > report->processors.count;
}
