/* What tasks cost that are too small, and what is waited for where too few are ready. */
#include <inttypes.h>

#include "report/collect.h"
#include "report/finding.h"

enum { MANY_TASKS = 1000 };

/* Of what tasks run: what they cost is worth telling from there on; it is most of all. */
static const double COST_MIN = 0.1, MAX_COST = 0.5;

/* One callback of Stave's is between the two times. */
static double own_cost_off(const struct report *report, uint64_t ticks) {
  uint64_t own = report->caveats.callback_ticks;
  return ticks > own ? (double)(ticks - own) : 0;
}

/* What tasks of one construct have cost in a parallel region, without callbacks, in ticks of its threads. */
struct cost {
  double creating, getting, running;
  double callbacks; /* of those who create them */
  double in_work;   /* the part of these that is in the work of the region */
  bool is_alone;    /* getting one takes longer than it runs: nobody can help who creates them */
  bool is_by_one;   /* a single thread creates them */
};

/* Who creates a task and runs it at once does not have to get it, and tells of its begin and end itself. */
static struct cost cost_of(const struct report *report, const struct report_creations *creations) {
  const struct report_task *task = report->regions[creations->construct].task;
  double own = (double)report->caveats.callback_ticks, getting = own_cost_off(report, report->dispatch_cost);
  double share = (double)creations->tasks / (double)task->created, executed = share * (double)task->executed;
  double included = share * (double)task->included, queued = executed > included ? executed - included : 0;
  return (struct cost){.creating = own_cost_off(report, task->creation_cost) * executed,
                       .getting = getting * queued,
                       .running = share * (double)task->run.sum - own * executed,
                       .callbacks = own * ((double)creations->tasks + 2 * included),
                       .in_work = own * ((double)creations->tasks + included),
                       .is_alone = task->executed >= MANY_TASKS &&
                                   getting > spread_mean(&task->run) + (double)task->creation_cost,
                       .is_by_one = !creations->has_several};
}

static void describe_small(struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_task *task = report->regions[region].task;
  struct finding_texts texts = {.report = report};
  finding_printf(finding->what, "the tasks of %s are too small",
                 finding_label(&texts, task->task_region == REPLAY_NONE ? region : task->task_region));
  finding_printf(finding->evidence, "%" PRIu64 " tasks ran %s each on average", task->executed,
                 finding_time(&texts, spread_mean(&task->run)));
  if (task->creation_cost)
    finding_append(finding->evidence, "; creating one costs about %s",
                   finding_time(&texts, (double)task->creation_cost));
  if (report->dispatch_cost)
    finding_append(finding->evidence, "; starting one costs about %s",
                   finding_time(&texts, (double)report->dispatch_cost));
}

/* What is left of a region's time when causes have taken theirs: its waiting, and the work that may be the
 * creating of tasks. Ticks of wall time. */
struct rest {
  double waiting, work;
};

static double least(double left, double right) {
  return left < right ? left : right;
}

/* A region with more threads than processors becomes no shorter than its work takes these. */
static double most_on_processors(const struct report *report, const struct report_parallel *parallel,
                                 double members, double created) {
  double count = processors_at_most(report, members), wall = (double)parallel->wall;
  double useful = (wall - parallel->gain - created) * members;
  if (count == members)
    return wall;
  return wall > useful / count ? wall - useful / count : 0;
}

static void add_small(struct report *report, uint32_t construct, double gain) {
  if (finding_enlarge(report, CAUSE_SMALL_TASKS, construct, gain))
    return;
  struct report_finding *finding = finding_add(report, CAUSE_SMALL_TASKS, construct, gain);
  if (finding)
    describe_small(report, finding, construct);
}

/* What one thread creates the others wait for, as long as creating it all takes, and its callbacks. Threads
 * that share processors take them from each other while they get tasks that are nothing: all waiting is that.
 */
static void find_small(struct report *report, const struct report_parallel *parallel, uint32_t construct,
                       const struct cost *cost, double members, struct rest *rest) {
  double count = processors_at_most(report, members);
  double slowed = cost->is_by_one ? cost->callbacks * (members - 1) / members : 0;
  double created = least(cost->creating / members, rest->work);
  rest->waiting = rest->waiting > slowed ? rest->waiting - slowed : 0;
  double gain = cost->creating / (cost->is_by_one ? 1 : count) + cost->getting / count;
  if (cost->is_alone)
    gain = cost->creating + cost->getting;
  if (count < members && cost->creating + cost->getting >= MAX_COST * cost->running)
    gain = created + rest->waiting;
  gain = least(gain, created + rest->waiting);
  double most = most_on_processors(report, parallel, members, created);
  gain = least(gain, most);
  created = least(created, gain);
  rest->work -= created;
  rest->waiting = least(rest->waiting - (gain - created), most - gain);
  report->lost_in_work += created;
  add_small(report, construct, gain);
}

/* What of the region's work may be the creating of tasks. */
static double work_beside_tasks(const struct report *report, const struct report_parallel *parallel) {
  double work = (double)parallel->activity[ACTIVITY_WORK];
  for (size_t i = 0; i < parallel->creations_count; i++)
    work -= cost_of(report, &parallel->creations[i]).in_work;
  return work > 0 ? work : 0;
}

/* ret_left_alone: whether somebody is. Returns what is left of the waiting. */
static double find_small_tasks(struct report *report, uint32_t region, double waiting, double members,
                               bool *ret_left_alone) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct rest rest = {waiting, work_beside_tasks(report, parallel) / members};
  *ret_left_alone = false;
  for (size_t i = 0; i < parallel->creations_count; i++) {
    struct cost cost = cost_of(report, &parallel->creations[i]);
    if (cost.creating + cost.getting <= 0 || cost.creating + cost.getting < COST_MIN * cost.running)
      continue;
    *ret_left_alone |= cost.is_alone;
    find_small(report, parallel, parallel->creations[i].construct, &cost, members, &rest);
  }
  return rest.waiting;
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
  finding_printf(finding->what, "threads of %s wait while too few tasks are ready",
                 finding_label(&texts, region));
  finding_printf(
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
}

void findings_of_tasks(struct report *report, uint32_t region, double budget, double n) {
  bool is_alone;
  budget = find_small_tasks(report, region, budget, n, &is_alone);
  if (is_alone)
    budget = findings_take_disturbed(report, region, budget);
  budget = findings_of_taskwaits(report, region, budget, n);
  find_starvation(report, region, budget);
}
