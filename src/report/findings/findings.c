/* What is most worth doing. Every finding states how much shorter the run would be if its cause were gone and
 * nothing else changed: time lost by threads, divided by the threads of the team. The losses of a region are
 * given to causes one after another, so that none is counted twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/collect/analyser.h"
#include "report/finding.h"

static int greatest_gain(const void *left, const void *right) {
  const struct report_finding *a = left, *b = right;
  if (a->gain_ticks != b->gain_ticks)
    return a->gain_ticks < b->gain_ticks ? 1 : -1;
  return (a->region > b->region) - (a->region < b->region);
}

/* The least that is left of the gain. */
static double certain_gain(const struct report_finding *finding) {
  return finding->gain_ticks - fmax(0, finding->uncertainty_ticks);
}

/* Whether the kernel's account of the processors explains much of what the other one, of low confidence, has:
 * another order would name a cause that may not be there. */
static bool comes_before(const struct report_finding *measured, const struct report_finding *other) {
  return finding_has_trait(measured->cause, TRAIT_HINDRANCE) && measured->confidence == CONFIDENCE_HIGH &&
         !finding_has_trait(other->cause, TRAIT_HINDRANCE) && other->confidence == CONFIDENCE_LOW &&
         certain_gain(measured) > certain_gain(other);
}

static void put_in_order(struct report_finding *findings, size_t count) {
  qsort(findings, count, sizeof *findings, greatest_gain);
  for (size_t i = 1; i < count; i++)
    for (size_t at = i; at > 0 && comes_before(&findings[at], &findings[at - 1]); at--) {
      struct report_finding moved = findings[at];
      findings[at] = findings[at - 1];
      findings[at - 1] = moved;
    }
}

/* No more can be saved than the threads did not use: where several findings mean the same time, which the
 * causes of nested teams, devices and tasks can, they share it. */
static void cap_total_gain(struct report *report) {
  double all = 0, useful = report->cpus ? (double)report->useful / (double)report->cpus : 0;
  double most = (double)report->wall > useful ? (double)report->wall - useful : 0;
  most += report->lost_in_work;
  most += report->cpus ? (double)report->preempted_useful / (double)report->cpus : 0;
  most += report_hindrance_gain(report);
  most = most < (double)report->wall ? most : (double)report->wall; /* what hinders threads is useful, too */
  for (size_t i = 0; i < report->finding_count; i++)
    all += report->findings[i].gain_ticks;
  for (size_t i = 0; i < report->finding_count && all > most; i++) {
    report->findings[i].gain_ticks =
        fmin(report->findings[i].gain_ticks * (most / all), (double)report->wall);
    report->findings[i].uncertainty_ticks *= most / all;
  }
}

static void leave_out_chance(struct report *report) {
  size_t kept = 0;
  for (size_t i = 0; i < report->finding_count; i++)
    if (!finding_may_be_chance(report, &report->findings[i]))
      report->findings[kept++] = report->findings[i];
  report->chance_findings = report->finding_count - kept;
  report->finding_count = kept;
}

void findings_make(struct collector *collector) {
  struct report *report = collector->report;
  analysers_find(collector);
  analysers_annotate(collector);
  cap_total_gain(report);
  for (size_t i = 0; i < report->finding_count; i++) {
    finding_judge(report, &report->findings[i]);
    if (report->process_count > 1)
      finding_append(report->findings[i].evidence,
                     "; these are sums over %zu processes, and what could be saved is their mean",
                     report->process_count);
  }
  leave_out_chance(report);
  for (size_t i = 0; report_lacks_source(report) && i < report->finding_count; i++)
    finding_advise_without_source(report, &report->findings[i]);
  if (report->finding_count > 1)
    put_in_order(report->findings, report->finding_count);
}
