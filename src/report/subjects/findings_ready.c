/* What threads wait for where too few tasks are ready, and beside those that are. */
#include <inttypes.h>

#include "report/collect/collect.h"
#include "report/finding.h"

enum { PARTS = 8 }; /* of the time of a region that a text reports */

static uint32_t longest_on_path(const struct report *report) {
  uint32_t most = REPLAY_NONE;
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].path > 0 &&
        (most == REPLAY_NONE || report->regions[i].path > report->regions[most].path))
      most = i;
  return most;
}

/* "0", "0.4", "12": of `part` of so many parts of the time until the last slice. */
static void append_part(char text[FINDING_BYTES], const struct report_ready *ready, int last, int part) {
  double tasks = 0, ticks = 0;
  for (int i = part * last / PARTS; i < (part + 1) * last / PARTS; i++) {
    tasks += ready->slices[i].tasks;
    ticks += ready->slices[i].ticks;
  }
  double mean = ticks > 0 ? tasks / ticks : 0;
  finding_append(text, mean > 0 && mean < 10 ? " %.1f" : " %.0f", mean);
}

void finding_add_ready(struct finding_texts *texts, struct report_finding *finding,
                       const struct report_parallel *parallel) {
  const struct report_ready *ready = &parallel->ready_tasks;
  double waited = ready->beside + ready->without;
  int last = REPORT_READY_SLICES;
  while (last > 0 && ready->slices[last - 1].ticks == 0)
    last--;
  if (waited <= 0 || last == 0)
    return;
  finding_append(finding->evidence, "; for %s of what threads waited a task was ready (%" PRIu64 " at most",
                 finding_share(texts, ready->beside, waited), ready->most);
  for (int i = 0; last >= PARTS && i < PARTS; i++) {
    if (i == 0)
      finding_append(finding->evidence, "; in the mean of each eighth of the time");
    append_part(finding->evidence, ready, last, i);
  }
  finding_append(finding->evidence, ")");
}

static void find_starvation(struct report *report, uint32_t region, double gain) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = finding_add(report, CAUSE_TASK_STARVATION, region, gain);
  const struct report_parallel *parallel = report->regions[region].parallel;
  uint32_t on_path = longest_on_path(report);
  if (!finding)
    return;
  finding_printf(finding->what, "threads of %s wait while too few tasks are ready",
                 finding_label(&texts, region));
  finding_printf(
      finding->evidence,
      "%s of waiting in barriers and for tasks; the entire %s has work for %.1f threads (work / span), "
      "and %s of its span is in %s",
      finding_time(&texts, (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] +
                                    parallel->activity[ACTIVITY_TASK_WAIT])),
      report->process_count > 1 ? "process with the longest span" : "run",
      report->span ? (double)report->work / (double)report->span : 0,
      finding_share(&texts, on_path == REPLAY_NONE ? 0 : (double)report->regions[on_path].path,
                    (double)report->span),
      on_path == REPLAY_NONE ? "nothing" : finding_label(&texts, on_path));
  finding_add_ready(&texts, finding, parallel);
}

/* Tasks that are large enough are ready, and threads do not begin them. */
static void find_late_tasks(struct report *report, uint32_t region, double gain) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = finding_add(report, CAUSE_LATE_TASKS, region, gain);
  const struct report_parallel *parallel = report->regions[region].parallel;
  if (!finding)
    return;
  finding_printf(finding->what, "threads of %s wait beside tasks that are ready",
                 finding_label(&texts, region));
  finding_printf(finding->evidence, "%s of waiting while tasks were ready that no thread had started",
                 finding_time(&texts, parallel->ready_tasks.beside));
  finding_add_ready(&texts, finding, parallel);
  finding_printf_waiting(&texts, finding->evidence);
}

void findings_of_ready_tasks(struct report *report, uint32_t region, double without, double beside) {
  find_starvation(report, region, without);
  find_late_tasks(report, region, beside);
}
