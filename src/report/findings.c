/* What is most worth doing. Every finding says how much shorter the run would be if its cause were gone and
 * nothing else changed: time lost by threads, divided by the threads of the team. The losses of a region are
 * given to causes one after another, so that none is counted twice. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/detail.h"
#include "analysis/label.h"
#include "base/array.h"
#include "report/collect.h"
#include "report/text.h"

/* Less than a hundredth of the time is not worth a line. */
#define LEAST_SHARE 0.01

enum { OFTEN = 10 };

const char *report_cause_name(enum report_cause cause) {
  static const char *const names[] = {
      [CAUSE_SERIAL] = "serial part",
      [CAUSE_IMBALANCE] = "imbalance",
      [CAUSE_LOOP_IMBALANCE] = "loop imbalance",
      [CAUSE_SINGLE] = "single",
      [CAUSE_LOCK] = "lock contention",
      [CAUSE_SMALL_TASKS] = "small tasks",
      [CAUSE_TASK_STARVATION] = "too few ready tasks",
      [CAUSE_FORK_JOIN] = "fork and join",
      [CAUSE_LATE_START] = "late start",
      [CAUSE_SLOW_BARRIERS] = "slow barriers",
      [CAUSE_REDUCTION] = "reduction",
      [CAUSE_TRANSFERS] = "device transfers",
  };
  return names[cause];
}

static struct report_finding *add(struct report *report, enum report_cause cause, uint32_t region,
                                  double gain_ticks) {
  if (gain_ticks < LEAST_SHARE * (double)report->wall || report->wall == 0)
    return NULL;
  struct report_finding *finding = array_add(&report->findings, &report->finding_count, sizeof *finding);
  report->has_lost_findings |= !finding;
  if (!finding)
    return NULL;
  *finding = (struct report_finding){
      .cause = cause, .region = region, .location = REPLAY_NONE, .gain_ticks = gain_ticks};
  return finding;
}

__attribute__((format(printf, 2, 3))) static void say(char text[FINDING_BYTES], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, FINDING_BYTES, format, arguments);
  va_end(arguments);
}

/* Short-lived texts for one finding. */
struct finding_texts {
  const struct report *report;
  char times[8][TEXT_TIME_BYTES], labels[4][LABEL_BYTES];
  int time_count, label_count;
};

static const char *time_of(struct finding_texts *texts, double ticks) {
  return text_time(texts->times[texts->time_count++ % 8], texts->report->trace, ticks);
}

static const char *share_of(struct finding_texts *texts, double part, double whole) {
  return text_percent(texts->times[texts->time_count++ % 8], whole > 0 ? part / whole : 0);
}

static const char *label_of(struct finding_texts *texts, uint32_t region) {
  return label_region(texts->labels[texts->label_count++ % 4], texts->report->trace, region);
}

static const char *gap_edge(struct finding_texts *texts, uint32_t region, const char *none) {
  return region == REPLAY_NONE ? none : label_of(texts, region);
}

/* -- serial -- */

static const struct report_gap *longest_gap(const struct report *report) {
  const struct report_gap *longest = NULL;
  for (size_t i = 0; i < report->gap_count; i++)
    if (!longest || report->gaps[i].time.sum > longest->time.sum)
      longest = &report->gaps[i];
  return longest;
}

static void find_serial(struct report *report) {
  double n = (double)report->cpus, serial = (double)report->serial, wall = (double)report->wall;
  struct finding_texts texts = {.report = report};
  const struct report_gap *gap = longest_gap(report);
  if (n < 2 || !gap || report->parallel == 0)
    return;
  struct report_finding *finding = add(report, CAUSE_SERIAL, gap->before, serial * (1 - 1 / n));
  if (!finding)
    return;
  say(finding->what, "%s (%s) are spent outside of all parallel regions, where one of %zu threads works",
      time_of(&texts, serial), share_of(&texts, serial, wall), report->cpus);
  say(finding->evidence, "most of it from %s to %s: %s, %" PRIu64 " time%s",
      gap_edge(&texts, gap->before, "the beginning"), gap_edge(&texts, gap->after, "the end"),
      time_of(&texts, (double)gap->time.sum), gap->time.count, gap->time.count == 1 ? "" : "s");
  say(finding->advice,
      "work there limits the speedup to %.1f however many threads there are (Amdahl): make it parallel",
      wall / serial);
}

/* -- worksharing -- */

static const char *loop_advice(const struct report *report, uint32_t region, enum construct construct) {
  if (construct == CONSTRUCT_sections)
    return "cut the sections into pieces of equal length, or into tasks";
  const char *schedule = detail_schedule(&report->trace->regions[region]);
  if (strcmp(schedule, "dynamic") == 0)
    return "smaller chunks even out the end of a dynamic schedule";
  if (strcmp(schedule, "guided") == 0)
    return "a smaller chunk size evens out the end of a guided schedule";
  return "iterations cost differently or threads run unequally fast: try schedule(dynamic, CHUNK), or tasks";
}

static uint32_t busiest(const struct report *report, const uint64_t *by_location) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < report->trace->location_count; i++)
    if (by_location[i] > by_location[most])
      most = i;
  return most;
}

static double mean_of(const struct report *report, const uint64_t *by_location) {
  uint64_t sum = 0, count = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    sum += by_location[i];
    count += by_location[i] > 0;
  }
  return count ? (double)sum / (double)count : 0;
}

static void describe_loop(struct report *report, struct report_finding *finding, uint32_t region,
                          enum construct construct) {
  const struct report_loop *loop = report->regions[region].loop;
  struct finding_texts texts = {.report = report};
  uint32_t most = loop->by_location ? busiest(report, loop->by_location) : 0;
  double mean = loop->by_location ? mean_of(report, loop->by_location) : 0;
  double longest = loop->by_location ? (double)loop->by_location[most] : 0;
  const char *name = report->trace->locations[most].name;
  finding->location = longest > 0 ? most : REPLAY_NONE;
  if (construct == CONSTRUCT_single) {
    say(finding->what, "the team waits for one thread in %s", label_of(&texts, region));
    say(finding->evidence, "%" PRIu64 " teams met it, the executing threads needed %s", loop->teams,
        time_of(&texts, (double)loop->longest));
    say(finding->advice, "make it shorter, let the others go on (nowait), or give its work to tasks");
    return;
  }
  say(finding->what, "%s is out of balance", label_of(&texts, region));
  say(finding->evidence,
      "in %" PRIu64 " team%s the last thread needed %s in all, the mean %s; most: %s with %s, %.2f times "
      "the mean of its threads",
      loop->teams, loop->teams == 1 ? "" : "s", time_of(&texts, (double)loop->longest),
      time_of(&texts, (double)(loop->longest - loop->imbalance)), name, time_of(&texts, longest),
      mean > 0 ? longest / mean : 0);
  say(finding->advice, "%s", loop_advice(report, region, construct));
}

/* Gives each worksharing construct of the region what its imbalance explains of the waiting there. Returns
 * the rest. */
static double find_loops(struct report *report, uint32_t parallel, double budget, double scale) {
  for (uint32_t i = 0; i < report->trace->region_count && budget > 0; i++) {
    const struct report_loop *loop = report->regions[i].loop;
    if (!loop || loop->parallel != parallel || loop->imbalance == 0)
      continue;
    enum construct construct = construct_of_region(&report->trace->regions[i]);
    bool has_tasks = report->regions[parallel].parallel->tasks > 0;
    if (construct == CONSTRUCT_single && has_tasks)
      continue; /* the others run what it creates */
    double gain = (double)loop->imbalance * scale;
    gain = gain < budget ? gain : budget;
    budget -= gain;
    struct report_finding *finding =
        add(report, construct == CONSTRUCT_single ? CAUSE_SINGLE : CAUSE_LOOP_IMBALANCE, i, gain);
    if (finding)
      describe_loop(report, finding, i, construct);
  }
  return budget;
}

/* -- tasks -- */

static double task_overhead(const struct report *report, const struct report_task *task) {
  return (double)(task->creation_cost + report->dispatch_cost) * (double)task->executed;
}

static void describe_small(struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_task *task = report->regions[region].task;
  struct finding_texts texts = {.report = report};
  say(finding->what, "the tasks of %s are too small",
      label_of(&texts, task->task_region == REPLAY_NONE ? region : task->task_region));
  say(finding->evidence,
      "%" PRIu64 " tasks ran %s each on average; creating one costs about %s, starting one about %s",
      task->executed, time_of(&texts, spread_mean(&task->run)),
      task->creation_cost ? time_of(&texts, (double)task->creation_cost) : "(unknown)",
      report->dispatch_cost ? time_of(&texts, (double)report->dispatch_cost) : "(unknown)");
  say(finding->advice,
      "put more work into a task: a cut-off in recursion (final, if), taskloop with a grainsize");
}

static double find_small_tasks(struct report *report, double budget, double members) {
  for (uint32_t i = 0; i < report->trace->region_count && budget > 0; i++) {
    const struct report_task *task = report->regions[i].task;
    if (!task || task->executed == 0)
      continue;
    double overhead = task_overhead(report, task);
    if (overhead * 2 < (double)task->run.sum)
      continue;
    double gain = overhead / members;
    gain = gain < budget ? gain : budget;
    budget -= gain;
    struct report_finding *finding = add(report, CAUSE_SMALL_TASKS, i, gain);
    if (finding)
      describe_small(report, finding, i);
  }
  return budget;
}

static uint32_t longest_on_path(const struct report *report) {
  uint32_t most = REPLAY_NONE;
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].path > 0 &&
        (most == REPLAY_NONE || report->regions[i].path > report->regions[most].path))
      most = i;
  return most;
}

static void find_starvation(struct report *report, uint32_t region, double gain) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = add(report, CAUSE_TASK_STARVATION, region, gain);
  const struct report_parallel *parallel = report->regions[region].parallel;
  uint32_t on_path = longest_on_path(report);
  if (!finding)
    return;
  say(finding->what, "threads of %s wait while too few tasks are ready", label_of(&texts, region));
  say(finding->evidence,
      "%s of waiting in barriers and for tasks; the whole run has work for %.1f threads (work / span), and "
      "%s of its "
      "span is in %s",
      time_of(&texts,
              (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] + parallel->activity[ACTIVITY_TASK_WAIT])),
      report->span ? (double)report->work / (double)report->span : 0,
      share_of(&texts, on_path == REPLAY_NONE ? 0 : (double)report->regions[on_path].path,
               (double)report->span),
      on_path == REPLAY_NONE ? "nothing" : label_of(&texts, on_path));
  say(finding->advice,
      "create tasks earlier and by several threads, start the longest first (priority), shorten chains "
      "of dependences, split the longest tasks");
}

/* -- regions -- */

static void find_imbalance(struct report *report, uint32_t region, double gain) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = add(report, CAUSE_IMBALANCE, region, gain);
  const struct report_parallel *parallel = report->regions[region].parallel;
  if (!finding)
    return;
  uint32_t most = parallel->useful ? busiest(report, parallel->useful) : 0;
  double mean = parallel->useful ? mean_of(report, parallel->useful) : 0;
  double longest = parallel->useful ? (double)parallel->useful[most] : 0;
  finding->location = longest > 0 ? most : REPLAY_NONE;
  say(finding->what, "threads of %s wait for one another", label_of(&texts, region));
  say(finding->evidence,
      "%s of waiting in explicit barriers, %s in implicit ones; most work: %s with %s, %.2f times the "
      "mean",
      time_of(&texts, (double)parallel->explicit_wait), time_of(&texts, (double)parallel->implicit_wait),
      report->trace->locations[most].name, time_of(&texts, longest), mean > 0 ? longest / mean : 0);
  say(finding->advice, parallel->explicit_wait > parallel->implicit_wait
                           ? "even out the work between barriers, or do without them"
                           : "even out the work of the threads: the region ends when its last thread does");
}

/* Time between the fork and the begin of the members: the runtime's own, or that of the system to wake them.
 * What the others wait for the last of them is part of it. Returns what is left of the budget. */
static double find_late_start(struct report *report, uint32_t region, double budget, double members,
                              double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  bool is_often = parallel->instances >= OFTEN;
  double own = (double)parallel->late * scale, waited = (double)parallel->latest * members * scale - own;
  waited = waited < 0 ? 0 : waited < budget ? waited : budget;
  struct report_finding *finding =
      add(report, is_often ? CAUSE_FORK_JOIN : CAUSE_LATE_START, region, own + waited);
  if (!finding)
    return budget - waited;
  say(finding->what, is_often ? "%s is begun too often for what it does" : "threads of %s begin late",
      label_of(&texts, region));
  say(finding->evidence,
      "%" PRIu64 " time%s, %s each on average; a thread begins %s after the fork on average, "
      "the last one %s",
      parallel->instances, parallel->instances == 1 ? "" : "s",
      time_of(&texts, spread_mean(&parallel->duration)),
      time_of(&texts, (double)parallel->late / (double)parallel->members),
      time_of(&texts, (double)parallel->latest / (double)parallel->instances));
  say(finding->advice, "%s",
      is_often
          ? "one region around several loops, or an if clause for the small ones; OMP_WAIT_POLICY=active "
            "keeps "
            "workers awake in between"
          : "the first region creates the threads; otherwise look for more threads than processors, and bind "
            "them (OMP_PROC_BIND)");
  return budget - waited;
}

/* What barriers take after the last thread has come. Returns what is left of the budget. */
static double find_slow_barriers(struct report *report, uint32_t region, double budget, double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  double gain = (double)parallel->release * scale;
  gain = gain < budget ? gain : budget;
  struct report_finding *finding = add(report, CAUSE_SLOW_BARRIERS, region, gain);
  if (!finding)
    return budget - gain;
  say(finding->what, "barriers of %s let threads go late", label_of(&texts, region));
  say(finding->evidence,
      "%s of the %s waited in them are after the last thread had come, %s each time on average",
      time_of(&texts, (double)parallel->release),
      time_of(&texts, (double)parallel->activity[ACTIVITY_BARRIER_WAIT]),
      time_of(&texts, parallel->passages ? (double)parallel->release / (double)parallel->passages : 0));
  say(finding->advice,
      "fewer barriers (nowait); see that there are no more threads than processors and nothing else runs "
      "there; OMP_WAIT_POLICY=active keeps waiting threads awake");
  return budget - gain;
}

static void find_reduction(struct report *report, uint32_t region, double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  double ticks = (double)parallel->activity[ACTIVITY_REDUCTION];
  struct report_finding *finding = add(report, CAUSE_REDUCTION, region, ticks * scale);
  if (!finding)
    return;
  say(finding->what, "reductions take long in %s", label_of(&texts, region));
  say(finding->evidence, "%s of all threads", time_of(&texts, ticks));
  say(finding->advice, "reduce less often, or less data");
}

static void find_in_region(struct report *report, uint32_t region) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  if (parallel->instances == 0 || parallel->members == 0)
    return;
  double members = (double)parallel->members / (double)parallel->instances;
  double n = parallel->is_nested && report->cpus > 0 ? (double)report->cpus : members;
  double budget =
      (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] + parallel->activity[ACTIVITY_TASK_WAIT]) / n;
  if (budget < LEAST_SHARE * (double)report->wall) /* also bounds the time spent here */
    budget = 0;
  budget = find_slow_barriers(report, region, budget, 1 / n);
  budget = find_late_start(report, region, budget, members, 1 / n);
  budget = find_loops(report, region, budget, members / n);
  if (parallel->tasks > 0) {
    budget = find_small_tasks(report, budget, n);
    find_starvation(report, region, budget);
  } else {
    find_imbalance(report, region, budget);
  }
  find_reduction(report, region, 1 / n);
}

/* -- locks and devices -- */

static void find_lock(struct report *report, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  const struct report_blame *holder = &mutex->blamed[0];
  struct finding_texts texts = {.report = report};
  double gain = report->cpus ? (double)mutex->wait.sum / (double)report->cpus : 0;
  if (mutex->contended == 0)
    return;
  struct report_finding *finding = add(report, CAUSE_LOCK, region, gain);
  if (!finding)
    return;
  finding->location = holder->ticks > 0 ? holder->location : REPLAY_NONE;
  say(finding->what, "threads queue for the lock of %s", label_of(&texts, region));
  say(finding->evidence,
      "%" PRIu64 " of %" PRIu64 " acquisitions had to wait, %s in all, %s at most; held %s on average; "
      "the holder waited for most was %s in %s (%s)",
      mutex->contended, mutex->acquisitions, time_of(&texts, (double)mutex->wait.sum),
      time_of(&texts, (double)mutex->wait.max), time_of(&texts, spread_mean(&mutex->hold)),
      holder->location < report->trace->location_count ? report->trace->locations[holder->location].name
                                                       : "unknown",
      label_of(&texts, holder->region), time_of(&texts, (double)holder->ticks));
  say(finding->advice,
      "hold it for less time, use several locks for independent data, an atomic or a reduction; only the "
      "holding part of %s cannot overlap",
      time_of(&texts, (double)mutex->hold.sum));
}

static void find_transfers(struct report *report, size_t location) {
  const struct report_device *device = &report->devices[location];
  struct finding_texts texts = {.report = report};
  double ticks = (double)(device->to.sum + device->from.sum);
  struct report_finding *finding = add(report, CAUSE_TRANSFERS, REPLAY_NONE, ticks);
  if (!finding)
    return;
  finding->location = (uint32_t)location;
  say(finding->what, "%s moves data for %s", report->trace->locations[location].name, time_of(&texts, ticks));
  say(finding->evidence,
      "%" PRIu64 " transfers to the device and %" PRIu64 " from it, %" PRIu64 " kernels in %s",
      device->to.count, device->from.count, device->kernels.count,
      time_of(&texts, (double)device->kernels.sum));
  say(finding->advice,
      "keep data on the device (target data, enter data), overlap transfers with kernels (nowait)");
}

static int greatest_gain(const void *left, const void *right) {
  const struct report_finding *a = left, *b = right;
  if (a->gain_ticks != b->gain_ticks)
    return a->gain_ticks < b->gain_ticks ? 1 : -1;
  return (a->region > b->region) - (a->region < b->region);
}

bool findings_make(struct report *report) {
  find_serial(report);
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    if (report->regions[i].parallel)
      find_in_region(report, i);
    if (report->regions[i].mutex)
      find_lock(report, i);
  }
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (report->threads[i].is_device)
      find_transfers(report, i);
  if (report->finding_count > 1)
    qsort(report->findings, report->finding_count, sizeof *report->findings, greatest_gain);
  return !report->has_lost_findings;
}
