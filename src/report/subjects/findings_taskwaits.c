/* Taskwaits and taskgroups that hold up the creation of more tasks. */
#include <inttypes.h>

#include "base/plural.h"
#include "report/finding.h"

static void describe(struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_region *base = &report->regions[region];
  struct finding_texts texts = {.report = report};
  finding_printf(finding->what, "threads are idle at %s until its last task is done, before more are created",
                 finding_label(&texts, region));
  finding_printf(finding->evidence,
                 "%" PRIu64
                 " time%s tasks were created after it: until then, and after the last task in front of it "
                 "had started, all threads were idle for %s",
                 base->holds_up, plural(base->holds_up), finding_time(&texts, (double)base->held_up));
}

double findings_of_taskwaits(struct report *report, uint32_t parallel, double budget, double members) {
  for (uint32_t i = 0; i < report->trace->region_count && budget > 0; i++) {
    const struct report_region *base = &report->regions[i];
    double gain = (double)base->held_up / members;
    if (base->held_up == 0 || base->held_up_in != parallel)
      continue;
    gain = gain < budget ? gain : budget;
    struct report_finding *finding = finding_add(report, CAUSE_TASKWAIT, i, gain);
    if (!finding)
      continue;
    budget -= gain;
    describe(report, finding, i);
  }
  return budget;
}
