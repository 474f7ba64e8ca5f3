/* What tasks cost that are too small, and what is waited for where too few are ready. */
#include <inttypes.h>

#include "report/collect.h"
#include "report/finding.h"

enum { MANY_TASKS = 1000 };

/* One callback of Stave's is between the two times. */
static double own_cost_off(const struct report *report, uint64_t ticks) {
  uint64_t own = report->caveats.callback_ticks;
  return ticks > own ? (double)(ticks - own) : 0;
}

/* Who creates a task and runs it at once does not have to get it. */
static double task_overhead(const struct report *report, const struct report_task *task) {
  uint64_t queued = task->executed > task->included ? task->executed - task->included : 0;
  return own_cost_off(report, task->creation_cost) * (double)task->executed +
         own_cost_off(report, report->dispatch_cost) * (double)queued;
}

static void describe_small(struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_task *task = report->regions[region].task;
  struct finding_texts texts = {.report = report};
  finding_say(finding->what, "the tasks of %s are too small",
              finding_label(&texts, task->task_region == REPLAY_NONE ? region : task->task_region));
  finding_say(finding->evidence,
              "%" PRIu64 " tasks ran %s each on average; creating one costs about %s, starting one about %s",
              task->executed, finding_time(&texts, spread_mean(&task->run)),
              task->creation_cost ? finding_time(&texts, (double)task->creation_cost) : "(unknown)",
              report->dispatch_cost ? finding_time(&texts, (double)report->dispatch_cost) : "(unknown)");
  finding_say(finding->advice,
              "put more work into a task: a cut-off in recursion (final, if), taskloop with a grainsize");
}

/* To get one takes longer than it runs: the others cannot help whoever creates them, and wait for all that
 * costs. */
static bool is_left_alone(const struct report *report, const struct report_task *task) {
  return task->executed >= MANY_TASKS &&
         own_cost_off(report, report->dispatch_cost) > spread_mean(&task->run) + (double)task->creation_cost;
}

/* ret_left_alone: whether some are. Returns what is left of the budget. */
static double find_small_tasks(struct report *report, double budget, double members, bool *ret_left_alone) {
  *ret_left_alone = false;
  for (uint32_t i = 0; i < report->trace->region_count && budget > 0; i++) {
    const struct report_task *task = report->regions[i].task;
    if (!task || task->executed == 0)
      continue;
    double overhead = task_overhead(report, task);
    if (overhead * 2 < (double)task->run.sum)
      continue;
    bool is_alone = is_left_alone(report, task);
    double gain = is_alone ? overhead : overhead / members;
    *ret_left_alone |= is_alone;
    gain = gain < budget ? gain : budget;
    budget -= gain;
    struct report_finding *finding = finding_add(report, CAUSE_SMALL_TASKS, i, gain);
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
  struct report_finding *finding = finding_add(report, CAUSE_TASK_STARVATION, region, gain);
  const struct report_parallel *parallel = report->regions[region].parallel;
  uint32_t on_path = longest_on_path(report);
  if (!finding)
    return;
  finding_say(finding->what, "threads of %s wait while too few tasks are ready",
              finding_label(&texts, region));
  finding_say(
      finding->evidence,
      "%s of waiting in barriers and for tasks; the whole %s has work for %.1f threads (work / span), and "
      "%s of its "
      "span is in %s",
      finding_time(&texts, (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] +
                                    parallel->activity[ACTIVITY_TASK_WAIT])),
      report->process_count > 1 ? "process with the longest span" : "run",
      report->span ? (double)report->work / (double)report->span : 0,
      finding_share(&texts, on_path == REPLAY_NONE ? 0 : (double)report->regions[on_path].path,
                    (double)report->span),
      on_path == REPLAY_NONE ? "nothing" : finding_label(&texts, on_path));
  finding_say(
      finding->advice,
      "create tasks earlier and by several threads, start the longest first (priority), shorten chains "
      "of dependences, split the longest tasks");
}

void findings_of_tasks(struct report *report, uint32_t region, double budget, double n) {
  bool is_alone;
  budget = find_small_tasks(report, budget, processors_at_most(report, n), &is_alone);
  if (is_alone)
    budget = findings_take_disturbed(report, region, budget);
  budget = findings_of_taskwaits(report, region, budget, n);
  find_starvation(report, region, budget);
}
