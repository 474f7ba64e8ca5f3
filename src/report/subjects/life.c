/* The process before its first event: how long it had lived, and what of that its first thread ran, as the
 * kernel reported the writer; and its page faults. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/collect/analyser.h"
#include "report/collect/kernel_times.h"
#include "report/finding.h"
#include "stave/names.h"

/* What its thread ran the kernel knows exactly: an empty program's does so for 2 to 6 ms, a large one's
 * loader for 10. When the process began it knows to a clock tick of 10 ms: a few of these are what the thread
 * did not run. In that Stave's own begin is, too, which waits for the writer, and for longer on a busy
 * machine. */
#define RAN_MIN_S 0.015
#define SLEPT_MIN_S 0.03
#define WAITED_MIN_S 0.1

/* Of what large pages would save: which memory gets them nobody knows. */
#define PAGES_UNCERTAINTY 0.3

/* Time in the kernel that is so many times the measured cost of the faults has other causes. */
#define OTHER_CAUSES 1.5

/* Of what faults cost, where only the measurement with the writer's own memory shows it. */
#define FAULTS_UNCERTAINTY 0.25

/* The loader, the libraries and the stacks of a program that does nothing else: no advice changes those. */
enum { LOADED_PAGES = 1000 };

static const char *property_of(const struct report *report, const char *name) {
  const struct trace *trace = report->trace;
  return trace->location_group_count == 1 ? trace_process_property(trace, trace->location_groups[0].ref, name)
                                          : NULL;
}

/* `before` by the process's age: the thread has run since the first event, at most, until the
 * kernel was read. */
static double without_short_sleep(const struct report *report, double before, double ran, double since) {
  bool is_known = before - ran >= SLEPT_MIN_S * (double)report->trace->clock.ticks_per_second;
  return is_known ? before : fmin(before, ran - fmax(0, since));
}

static double shortest(const struct report *report, double ran) {
  double second = (double)report->trace->clock.ticks_per_second;
  return (ran >= RAN_MIN_S * second ? RAN_MIN_S : WAITED_MIN_S) * second;
}

/* What it was ready without a processor is none of its own time. */
static void read_before(struct report *report) {
  const char *text = property_of(report, STAVE_PROPERTY_BEFORE);
  double ns = (double)report->trace->clock.ticks_per_second / 1e9;
  uint64_t first_seen, age, ran_ns, ready, others = 0;
  if (!text || report->from_ticks > 0 ||
      sscanf(text, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, &first_seen, &age, &ran_ns,
             &ready, &others) < 4)
    return;
  double first = (double)report->trace->clock.first_ticks, since = (double)first_seen - first;
  double lived = (double)(age > ready ? age - ready : 0) * ns - since, ran = (double)ran_ns * ns;
  double before = without_short_sleep(report, lived, ran, since);
  if (before >= first || before < shortest(report, ran))
    return;
  report->life.start_ticks = (uint64_t)(first - before);
  report->life.before = before;
  report->life.ran = fmin(ran, before);
  report->life.has_started_others = others > 0;
}

static void read_faults(struct report *report) {
  const char *text = property_of(report, STAVE_PROPERTY_FAULTS);
  uint64_t before, faults, pages, ns, large = 0, variables = 0, reclaimed = 0, stack = 0, shared = 0;
  double tick_ns = 1e9 / (double)report->trace->clock.ticks_per_second;
  if (!text || sscanf(text,
                      "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
                      ",%" SCNu64 ",%" SCNu64,
                      &before, &faults, &pages, &ns, &large, &variables, &reclaimed, &stack, &shared) < 4)
    return;
  report->life.faults = faults;
  report->life.faults_before = before;
  report->life.repeated = faults / 2 > pages ? faults - pages : 0; /* else it may have been other memory */
  report->life.fault_ticks = (double)ns / tick_ns;
  report->life.large_ticks = (double)(large > 0 ? large : ns) / tick_ns;
  report->life.variables = variables;
  report->life.is_reclaimed = reclaimed > 0;
  report->life.stack = stack;
  report->life.shared = shared;
}

static void prepare(struct collector *collector) {
  read_before(collector->report);
  read_faults(collector->report);
}

static double without_loaded(double pages) {
  return fmax(0, pages - LOADED_PAGES);
}

/* Faults are part of what the threads ran: on a busy machine the cost of one appears larger than that. */
static double ran_within(const struct report *report, double from_first_event) {
  return fmin(from_first_event, (double)report->wall - report->life.before);
}

/* What is no malloc's: the program's variables, shared memory, the threads' stacks. Those of the others are
 * taken to be as large as the first one's. */
static double without_malloc(const struct report *report) {
  const struct report_life *life = &report->life;
  return (double)life->variables + (double)life->shared + (double)life->stack * finding_team(report);
}

/* What malloc gave and is touched first, without what was loaded. */
static double first_touched(const struct report *report) {
  return without_loaded((double)(report->life.faults - report->life.repeated) - without_malloc(report));
}

/* What large pages would save. Before the first use of OpenMP one thread has the faults; where that time is
 * not in the wall time, these are not either. */
static double saved_by_large(const struct report *report, double pages) {
  const struct report_life *life = &report->life;
  double n = processors_at_most(report, finding_team(report));
  double before = fmin(pages, without_loaded((double)life->faults_before));
  double each = life->fault_ticks > life->large_ticks ? life->fault_ticks - life->large_ticks : 0;
  return fmin(before * each, life->ran) + ran_within(report, (pages - before) / n * each);
}

/* Small pages come from what is left between blocks that the host reclaims, large ones are such blocks. */
static void find_small_pages(struct report *report) {
  const struct report_life *life = &report->life;
  double pages = first_touched(report), gain = saved_by_large(report, pages);
  if (life->is_reclaimed && gain >= FINDING_MIN_SHARE * (double)report->wall)
    unseen_add(report, CAUSE_SMALL_PAGES, UNSEEN_HOST, NULL);
  struct finding_texts texts = {.report = report};
  struct report_finding *finding =
      life->is_reclaimed ? NULL : finding_add(report, CAUSE_SMALL_PAGES, REPLAY_NONE, gain);
  if (!finding)
    return;
  report->lost_in_work += gain;
  report->lost_anyway += gain;
  finding_set_uncertainty(report, finding, PAGES_UNCERTAINTY * gain);
  finding_printf(finding->what, "%.0f page faults at the first touch of small pages", pages);
  finding_printf(
      finding->evidence,
      "%" PRIu64 " page faults, %" PRIu64
      " before the first use of OpenMP; one costs %s here, measured, and %s where the kernel was requested "
      "for large pages",
      life->faults, life->faults_before, finding_time(&texts, life->fault_ticks),
      finding_time(&texts, life->large_ticks));
}

/* -- memory that came back -- */

/* What a fault costs, of the program's own time in the kernel; 0: not known, or that has other causes, too.
 */
static double cost_in_kernel(const struct report *report) {
  const struct report_kernel *kernel = &report->kernel;
  double each = kernel->faults > 0 ? kernel->ticks / kernel->faults : 0;
  return finding_is_in_crowd(report) || each > OTHER_CAUSES * report->life.fault_ticks ? 0 : each;
}

/* The part of the faults' time by which the run is longer: threads have them beside each other, and the
 * others wait for the one that has most. */
static double share_of_one(const struct report *report) {
  const struct report_kernel *kernel = &report->kernel;
  double evenly = 1 / processors_at_most(report, finding_team(report));
  bool is_of_faults = cost_in_kernel(report) > 0 && kernel->busiest > 0;
  double busiest = finding_is_in_crowd(report) ? 0 : is_of_faults ? kernel->busiest : kernel->busiest_faults;
  return fmax(evenly, busiest);
}

/* Of the gain: the cost of one by the two measurements, and whose clock ticks it was. Below 0: not known. */
static double uncertain_share(const struct report *report, double each) {
  double in_kernel = cost_in_kernel(report), deviation = kernel_times_deviation(report, report->kernel.ticks);
  if (!report->kernel.is_known)
    return -1;
  if (in_kernel <= 0)
    return FAULTS_UNCERTAINTY;
  return hypot((each - fmin(in_kernel, report->life.fault_ticks)) / (2 * each),
               deviation / report->kernel.ticks);
}

static void describe_kernel(struct finding_texts *texts, struct report_finding *finding) {
  const struct report_kernel *kernel = &texts->report->kernel;
  double second = (double)texts->report->trace->clock.ticks_per_second;
  if (!kernel->is_known) {
    finding_append(finding->evidence, ", and giving the page back more");
    return;
  }
  if (kernel->faults <= 0)
    return;
  finding_append(finding->evidence,
                 "; %.0f faults a second; the program's threads were in the kernel for %s, %s for each fault",
                 kernel->faults / ((double)texts->report->wall / second), finding_time(texts, kernel->ticks),
                 finding_time(texts, kernel->ticks / kernel->faults));
  if (kernel->busiest_faults > 0)
    finding_append(finding->evidence, "; one thread has %s of the faults",
                   finding_share(texts, kernel->busiest_faults, 1));
}

/* Each page that the process had has faulted once; what is more came back. */
static void find_repeated(struct report *report) {
  const struct report_life *life = &report->life;
  double each = fmax(life->fault_ticks, cost_in_kernel(report)), uncertain = uncertain_share(report, each);
  double gain = ran_within(report, (double)life->repeated * each * share_of_one(report));
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = finding_add(report, CAUSE_PAGE_FAULTS, REPLAY_NONE, gain);
  if (!finding)
    return;
  report->lost_in_work += gain;
  report->lost_anyway += gain;
  if (uncertain > 0)
    finding_set_uncertainty(report, finding, uncertain * gain);
  finding_printf(finding->what, "%" PRIu64 " page faults in memory that was given back and allocated again",
                 life->repeated);
  finding_printf(finding->evidence,
                 "%" PRIu64 " page faults, %" PRIu64
                 " more than the process has had pages at a time; one costs %s "
                 "here, measured",
                 life->faults, life->repeated, finding_time(&texts, life->fault_ticks));
  describe_kernel(&texts, finding);
}

static void find(struct collector *collector) {
  kernel_times_find(collector->report);
  find_repeated(collector->report);
  find_small_pages(collector->report);
}

const struct analyser life_analyser = {.prepare = prepare, .find = find};
