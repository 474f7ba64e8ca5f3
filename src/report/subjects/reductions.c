/* What reductions cost. A team that combines what it has reduced does so while it waits in a barrier, or
 * under a lock (locks.c), or without an event. */
#include <inttypes.h>
#include <string.h>

#include "report/collect/analyser.h"
#include "report/finding.h"
#include "report/subjects/reductions.h"
#include "trace/constructs.h"

uint32_t reductions_construct(const struct report *report, uint32_t region) {
  const struct trace_region *regions = report->trace->regions, *part = &regions[region];
  if (part->begin_line == 0)
    return REPLAY_NONE;
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    enum construct_class class = construct_class(construct_of_region(&regions[i]));
    bool can_reduce = class == CONSTRUCT_CLASS_work || class == CONSTRUCT_CLASS_team;
    if (can_reduce && regions[i].begin_line == part->begin_line && strcmp(regions[i].file, part->file) == 0)
      return i;
  }
  return REPLAY_NONE;
}

void reductions_find(struct report *report, uint32_t region, double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  double ticks = (double)parallel->activity[ACTIVITY_REDUCTION] - (double)parallel->reduced;
  struct report_finding *finding = finding_add(report, CAUSE_REDUCTION, region, ticks * scale);
  if (!finding)
    return;
  finding_scatter(finding, &parallel->reductions);
  finding_printf(finding->what, "slow reductions in %s", finding_label(&texts, region));
  finding_printf(finding->evidence, "%s of all threads", finding_time(&texts, ticks));
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_reduction *reduction = report->regions[i].reduction;
    struct finding_texts texts = {.report = report};
    if (!reduction)
      continue;
    uint32_t construct = reductions_construct(report, i);
    construct = construct == REPLAY_NONE ? i : construct;
    struct report_finding *finding =
        finding_add(report, CAUSE_REDUCTION, construct,
                    (double)reduction->waited / finding_threads(report, reduction->parallel));
    if (!finding)
      continue;
    finding_scatter(finding, &reduction->costs);
    finding_printf(finding->what, "threads wait for the reduction of %s", finding_label(&texts, construct));
    finding_printf(
        finding->evidence,
        "in its barrier some combine, for %s in all, while others wait: %s when the last one had come, "
        "%s each time on average; that the combining itself could be shared is assumed",
        finding_time(&texts, (double)reduction->combined), finding_time(&texts, (double)reduction->waited),
        finding_time(&texts, (double)reduction->waited / (double)reduction->times));
  }
}

const struct analyser reductions_analyser = {.find = find};
