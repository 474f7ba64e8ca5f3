/* A thread that waits awake with more threads than processors calls sched_yield(2) again and again. The
 * kernel reports how long threads were in it, not in which call: what page faults took is taken off, and it
 * is no longer than threads waited. */
#include "report/subjects/yields.h"

#include <inttypes.h>
#include <math.h>

#include "report/collect/account.h"
#include "report/collect/collect.h"
#include "report/collect/kernel_times.h"
#include "report/finding.h"

/* From barrier to barrier. With four threads on two processors OMP_WAIT_POLICY=passive saved time in 13 of 14
 * programs with longer ones, and cost it in five of six with phases below 0.4 ms
 * (docs/verdicts/oversubscribed.md). */
static const double LONG_PHASE_MS = 1;

/* Deviations of a count by clock ticks: less may be chance. */
static const double DEVIATIONS_MIN = 2;

/* Of the threads' time: other programs make phases no longer. */
static double share_of_others(const struct report_account *account) {
  return account->is_known && account->all > 0 ? fmin(1, account->lost[HINDRANCE_OTHERS] / account->all) : 0;
}

bool yields_phases_are_long(const struct report *report, uint64_t thread_time, uint64_t passages) {
  double ms = (double)report->trace->clock.ticks_per_second / 1e3;
  double own = (double)thread_time * (1 - share_of_others(&report->account));
  return passages > 0 && own >= LONG_PHASE_MS * ms * (double)passages;
}

/* All regions with more threads than processors. */
struct crowded {
  uint64_t thread_time, passages, tasks;
  double waited, most; /* by their threads; in the one region */
  uint32_t region;     /* where they wait for longest */
};

static void add_region(struct crowded *crowded, uint32_t region, const struct report_parallel *parallel) {
  double waited = (double)parallel->activity[ACTIVITY_BARRIER_WAIT] + (double)parallel->late;
  if (crowded->passages == 0 || waited > crowded->most) {
    crowded->most = waited;
    crowded->region = region;
  }
  crowded->thread_time += parallel->thread_time;
  crowded->passages += parallel->passages;
  crowded->tasks += parallel->tasks;
  crowded->waited += waited;
}

static struct crowded crowded_regions(const struct report *report) {
  struct crowded crowded = {.region = REPLAY_NONE};
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_parallel *parallel = report->regions[i].parallel;
    if (parallel && processors_are_too_few(report, parallel))
      add_region(&crowded, i, parallel);
  }
  return crowded;
}

/* What they were in the kernel for, but for page faults. */
static double without_faults(const struct report *report) {
  return fmax(0, report->kernel.ticks - report->kernel.faults * report->life.fault_ticks);
}

static bool may_be(const struct report *report, const struct crowded *crowded) {
  return report->kernel.is_known && report->process_count == 1 && !account_is_bound(&report->account) &&
         report_crowding_threads(report) > 0 && crowded->tasks == 0 &&
         yields_phases_are_long(report, crowded->thread_time, crowded->passages);
}

static void describe(struct report *report, struct report_finding *finding, const struct crowded *crowded,
                     double yielded) {
  struct finding_texts texts = {.report = report};
  finding_printf(finding->what,
                 "threads that wait yield their processors again and again, in the kernel for %s",
                 finding_time(&texts, yielded));
  finding_printf(
      finding->evidence,
      "the program's threads were in the kernel for %s, of which %.0f page faults take about %s; they "
      "wait for %s in teams of more threads than processors, most in %s (%s)",
      finding_time(&texts, report->kernel.ticks), report->kernel.faults,
      finding_time(&texts, report->kernel.ticks - without_faults(report)),
      finding_time(&texts, crowded->waited), finding_label(&texts, crowded->region),
      finding_time(&texts, crowded->most));
}

double yields_find(struct report *report) {
  struct crowded crowded = crowded_regions(report);
  double yielded = fmin(without_faults(report), crowded.waited);
  double deviation = kernel_times_deviation(report, report->kernel.ticks);
  double processors = (double)report->processors.count;
  if (!may_be(report, &crowded) || yielded < DEVIATIONS_MIN * deviation)
    return 0;
  struct report_finding *finding = finding_add(report, CAUSE_YIELDING, crowded.region, yielded / processors);
  if (!finding)
    return 0;
  finding->uncertainty_ticks = finding->gain_ticks; /* in a program of two sleeping threads save nothing */
  finding->doubt = finding_reason(CAUSE_YIELDING);
  describe(report, finding, &crowded, yielded);
  return yielded / processors;
}
