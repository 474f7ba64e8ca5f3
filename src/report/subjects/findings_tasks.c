/* What tasks cost that are too small for the runtime. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/collect/collect.h"
#include "report/finding.h"
#include "trace/detail.h"

enum { MANY_TASKS = 1000 };

/* Of what tasks run: what they cost is worth a finding from there on; it is most of all. */
static const double COST_MIN = 0.1, MAX_COST = 0.5;

/* Of the gain: what threads wait for the runtime differs by it between runs of the same. */
static const double WAIT_UNCERTAINTY = 0.1;

/* Of the callbacks' time: a processor does some of the program's meanwhile, and they keep others waiting.
 * What they cost is regarded as no more than an estimate where it is so much of the gain. */
static const double CALLBACKS_UNCERTAINTY = 0.5, CALLBACKS_MAX = 0.5;

/* Tasks that run for less than that and create others do so for the most part: what of it is the runtime's
 * no event shows, and half of it may be. With gcc's recursion 310 ns for each task were saved, of which 140
 * are known. */
enum { TINY_NS = 1000 };
static const double HIDDEN_SHARE = 0.5, HIDDEN_MAX = 0.5;

/* With more threads than processors one that waits may only have none. There tasks are small where what they
 * cost themselves is so much of what they run. */
static const double CROWDED_COST_MIN = 0.2;

/* One callback of Stave's is between the two times. */
static double own_cost_off(const struct report *report, uint64_t ticks) {
  uint64_t own = report->caveats.callback_ticks;
  return ticks > own ? (double)(ticks - own) : 0;
}

/* What tasks of one function have cost in a parallel region, without callbacks, in ticks of its threads. */
struct cost {
  uint32_t construct, constructs; /* the first one, and how many */
  double tasks, by_tasks;         /* how many ran; were created by tasks */
  double creating, getting, running;
  /* what threads waited beside a ready one; and while none was ready and nobody did anything: as much of it
   * as it has of the tasks */
  double beside, idle;
  double callbacks; /* of those who create them */
  double in_work;   /* the part of these that is in the work of the region */
  bool is_alone;    /* getting one is longer than running it: no thread can help their creator */
  bool is_by_one;   /* a single thread creates them */
};

/* In thread time. A thread without a processor begins no task either: time of others on the processors is
 * none of the runtime's. */
static double waited_beside(const struct report *report, const struct report_parallel *parallel) {
  double n = (double)parallel->members / (double)parallel->instances;
  double left = parallel->ready_tasks.beside - n * findings_disturbed(report, parallel, n);
  return left > 0 ? left : 0;
}

/* Who creates a task and runs it immediately does not have to get it, and reports its begin and end
 * itself. */
static struct cost cost_of(const struct report *report, const struct report_parallel *parallel,
                           const struct report_creations *creations) {
  const struct report_task *task = report->regions[creations->construct].task;
  double own = (double)report->caveats.callback_ticks, getting = own_cost_off(report, report->dispatch_cost);
  double share = (double)creations->tasks / (double)task->created, executed = share * (double)task->executed;
  double included = share * (double)task->included, queued = executed > included ? executed - included : 0;
  double of_all = (double)creations->tasks / (double)parallel->tasks;
  return (struct cost){.construct = creations->construct,
                       .constructs = 1,
                       .tasks = executed,
                       .by_tasks = share * (double)task->by_tasks,
                       .creating = own_cost_off(report, task->creation_cost) * executed,
                       .getting = getting * queued,
                       .running = share * (double)task->run.sum - own * executed,
                       .beside = of_all * waited_beside(report, parallel),
                       .idle = of_all * parallel->ready_tasks.idle,
                       .callbacks = own * ((double)creations->tasks + 2 * included),
                       .in_work = own * ((double)creations->tasks + included),
                       .is_alone = task->executed >= MANY_TASKS &&
                                   getting > spread_mean(&task->run) + (double)task->creation_cost,
                       .is_by_one = !creations->has_several};
}

static void add_cost(struct cost *sum, const struct cost *cost) {
  sum->constructs++;
  sum->tasks += cost->tasks;
  sum->by_tasks += cost->by_tasks;
  sum->creating += cost->creating;
  sum->getting += cost->getting;
  sum->running += cost->running;
  sum->beside += cost->beside;
  sum->idle += cost->idle;
  sum->callbacks += cost->callbacks;
  sum->in_work += cost->in_work;
  sum->is_alone |= cost->is_alone;
  sum->is_by_one &= cost->is_by_one;
}

/* One change makes all of them larger. */
static bool are_of_one_function(const struct report *report, uint32_t left, uint32_t right) {
  const struct trace_region *a = &report->trace->regions[left], *b = &report->trace->regions[right];
  size_t length = detail_function_length(a);
  return left == right ||
         (length > 0 && length == detail_function_length(b) &&
          memcmp(a->description, b->description, length) == 0 && strcmp(a->file, b->file) == 0);
}

/* Of all tasks that the function of this construct creates; false: it was an earlier one's. */
static bool cost_of_function(const struct report *report, const struct report_parallel *parallel,
                             size_t index, struct cost *ret) {
  const struct report_creations *creations = parallel->creations;
  for (size_t i = 0; i < index; i++)
    if (are_of_one_function(report, creations[i].construct, creations[index].construct))
      return false;
  *ret = cost_of(report, parallel, &creations[index]);
  for (size_t i = index + 1; i < parallel->creations_count; i++) {
    if (!are_of_one_function(report, creations[i].construct, creations[index].construct))
      continue;
    struct cost cost = cost_of(report, parallel, &creations[i]);
    add_cost(ret, &cost);
  }
  return true;
}

/* Their cost in the runtime: getting one is a part of the waiting beside it. */
static double runtime_of(const struct cost *cost) {
  return cost->creating + cost->idle + (cost->beside > cost->getting ? cost->beside : cost->getting);
}

/* -- in words -- */

/* A taskloop in the line where they are created. */
static bool is_of_taskloop(const struct report *report, uint32_t construct) {
  const struct trace_region *here = &report->trace->regions[construct];
  for (size_t i = 0; i < report->trace->region_count; i++) {
    const struct trace_region *region = &report->trace->regions[i];
    if (report->regions[i].loop && construct_of_region(region) == CONSTRUCT_taskloop &&
        region->begin_line == here->begin_line && strcmp(region->file, here->file) == 0)
      return true;
  }
  return false;
}

static bool would_wait_policy_help(const struct report *report, const struct report_parallel *parallel,
                                   const struct cost *cost) {
  double waited = cost->beside + cost->idle;
  return waited > cost->creating && waited > cost->getting && !report->caveats.runtimes.instead_of &&
         !processors_are_too_few(report, parallel);
}

/* How to make them larger, so that their cost in the runtime is a tenth of their work. */
static void advise(struct finding_texts *texts, struct report_finding *finding,
                   const struct report_parallel *parallel, const struct cost *cost) {
  const struct report *report = texts->report;
  const char *enough = finding_time(texts, runtime_of(cost) / cost->tasks / COST_MIN);
  if (is_of_taskloop(report, cost->construct))
    finding_printf(finding->advice, "taskloop with a grainsize, so that a task does %s or more", enough);
  else if (cost->by_tasks * 2 > cost->tasks)
    finding_printf(
        finding->advice,
        "a cut-off in the recursion: where the rest is shorter than %s, call the function instead of "
        "creating a task (if, final)",
        enough);
  else
    finding_printf(finding->advice, "put more work into a task, so that it does %s or more", enough);
  if (processors_are_too_few(report, parallel))
    finding_append(
        finding->advice,
        "; without a change of the program: no more threads than processors (OMP_NUM_THREADS=%" PRIu64
        "), which leaves each thread one",
        report->processors.count);
  if (would_wait_policy_help(report, parallel, cost))
    finding_append(finding->advice,
                   "; without a change of the program: OMP_WAIT_POLICY=active, so that threads that "
                   "look for tasks keep their processors");
}

static void describe(struct report *report, struct report_finding *finding,
                     const struct report_parallel *parallel, const struct cost *cost) {
  const struct report_task *task = report->regions[cost->construct].task;
  struct finding_texts texts = {.report = report};
  finding_printf(
      finding->what, "the tasks of %s",
      finding_label(&texts, task->task_region == REPLAY_NONE ? cost->construct : task->task_region));
  if (cost->constructs > 1)
    finding_append(finding->what, " and %" PRIu32 " other%s of that function", cost->constructs - 1,
                   cost->constructs == 2 ? "" : "s");
  finding_append(finding->what, " are too small for this runtime");
  finding_printf(finding->evidence, "%.0f tasks ran %s each on average", cost->tasks,
                 finding_time(&texts, cost->running / cost->tasks));
  if (cost->creating > 0)
    finding_append(finding->evidence, "; creating one costs about %s",
                   finding_time(&texts, cost->creating / cost->tasks));
  if (cost->getting > 0)
    finding_append(finding->evidence, "; starting one costs about %s",
                   finding_time(&texts, cost->getting / cost->tasks));
  if (cost->beside > 0)
    finding_append(finding->evidence, "; threads waited %s for each while tasks were ready",
                   finding_time(&texts, cost->beside / cost->tasks));
  if (cost->idle >= COST_MIN * runtime_of(cost))
    finding_append(finding->evidence,
                   "; nobody did anything for %s each, until the runtime had a thread go on",
                   finding_time(&texts, cost->idle / cost->tasks * (double)parallel->instances /
                                            (double)parallel->members));
  finding_add_ready(&texts, finding, parallel);
  advise(&texts, finding, parallel, cost);
}

/* -- what they would save -- */

/* What is left of a region's time when causes have taken theirs: its waiting, and the work that may be the
 * creating of tasks. Ticks of wall time. */
struct rest {
  double waiting, work;
};

static double least(double left, double right) {
  return left < right ? left : right;
}

/* A region with more threads than processors becomes no shorter than its work on these. */
static double most_on_processors(const struct report *report, const struct report_parallel *parallel,
                                 double members, double created) {
  double count = processors_at_most(report, members), wall = (double)parallel->wall;
  double useful = (wall - parallel->gain - created) * members + processors_traced(report, parallel);
  if (count == members)
    return wall;
  return wall > useful / count ? wall - useful / count : 0;
}

/* Of what tasks run that create others, in thread time: of more threads than processors all is unsure. */
static double hidden_of(const struct report *report, const struct report_parallel *parallel,
                        const struct cost *cost) {
  if (processors_are_too_few(report, parallel))
    return 0;
  double tiny = TINY_NS * (double)report->trace->clock.ticks_per_second / 1e9;
  bool is_tiny = cost->running > 0 && cost->running < tiny * cost->tasks;
  return is_tiny ? HIDDEN_SHARE * cost->running * least(1, cost->by_tasks / cost->tasks) : 0;
}

/* callbacks: what of the gain is not counted as theirs. hidden: what more is the runtime's, +- as much. */
static void add_small(struct report *report, const struct report_parallel *parallel, const struct cost *cost,
                      double gain, double callbacks, double hidden) {
  if (finding_enlarge(report, CAUSE_SMALL_TASKS, cost->construct, gain + hidden))
    return;
  struct report_finding *finding = finding_add(report, CAUSE_SMALL_TASKS, cost->construct, gain + hidden);
  if (!finding)
    return;
  bool is_crowd = processors_are_too_few(report, parallel); /* fewer threads may do as much */
  double measured = hypot(WAIT_UNCERTAINTY * gain, CALLBACKS_UNCERTAINTY * callbacks);
  finding_set_uncertainty(report, finding, is_crowd ? gain : hypot(measured, hidden));
  if (hidden > HIDDEN_MAX * gain)
    finding->doubt = "what so short tasks run may be the runtime's for the most part, which no event shows";
  if (callbacks > CALLBACKS_MAX * gain)
    finding->doubt = "Stave's callbacks lasted more than half as long, and their cost is an estimate";
  if (is_crowd)
    finding->doubt = finding_crowd();
  describe(report, finding, parallel, cost);
}

/* The others wait for the tasks that one thread creates, as long as creating all of them lasts. Beside ready
 * tasks threads wait for nothing but the runtime. Threads that share processors delay each other while they
 * get empty tasks: all waiting is that. */
static double gain_of(const struct report *report, const struct cost *cost, double members, double created,
                      double waiting) {
  double count = processors_at_most(report, members);
  double gain = cost->creating / (cost->is_by_one ? 1 : count) + cost->getting / count;
  if (cost->is_alone)
    gain = cost->creating + cost->getting;
  if (cost->beside / count > gain - created)
    gain = created + cost->beside / count;
  gain += cost->idle / count;
  if (count < members && cost->creating + cost->getting >= MAX_COST * cost->running)
    gain = created + waiting;
  return least(gain, created + waiting);
}

static void find_small(struct report *report, const struct report_parallel *parallel, const struct cost *cost,
                       double members, struct rest *rest) {
  double slowed = cost->is_by_one ? least(cost->callbacks * (members - 1) / members, rest->waiting) : 0;
  double created = least(cost->creating / members, rest->work);
  rest->waiting -= slowed;
  double gain = gain_of(report, cost, members, created, rest->waiting);
  double most = most_on_processors(report, parallel, members, created);
  gain = least(gain, most);
  created = least(created, gain);
  double hidden = least(hidden_of(report, parallel, cost) / members, rest->work - created);
  rest->work -= created + hidden;
  rest->waiting = least(rest->waiting - (gain - created), most - gain);
  report->lost_in_work += created + hidden;
  report->lost_anyway += hidden;
  add_small(report, parallel, cost, gain, slowed + cost->in_work / members, hidden);
}

/* What of the region's work may be the creating of tasks, which tasks do, too. */
static double work_beside_tasks(const struct report *report, const struct report_parallel *parallel) {
  double work = (double)parallel->activity[ACTIVITY_WORK];
  bool is_in_tasks = false;
  for (size_t i = 0; i < parallel->creations_count; i++) {
    struct cost cost = cost_of(report, parallel, &parallel->creations[i]);
    work -= cost.in_work;
    is_in_tasks |= cost.by_tasks > 0;
  }
  work += is_in_tasks ? (double)parallel->activity[ACTIVITY_TASK] : 0;
  return work > 0 ? work : 0;
}

static bool are_small(const struct report *report, const struct report_parallel *parallel,
                      const struct cost *cost) {
  if (processors_are_too_few(report, parallel))
    return cost->creating + cost->getting + cost->idle >= CROWDED_COST_MIN * cost->running;
  return runtime_of(cost) >= COST_MIN * cost->running;
}

/* ret_left_alone: whether somebody is. Returns what is left of the waiting. */
static double find_small_tasks(struct report *report, uint32_t region, double waiting, double members,
                               bool *ret_left_alone) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct rest rest = {waiting, work_beside_tasks(report, parallel) / members};
  *ret_left_alone = false;
  for (size_t i = 0; i < parallel->creations_count; i++) {
    struct cost cost;
    if (!cost_of_function(report, parallel, i, &cost) || runtime_of(&cost) <= 0 ||
        !are_small(report, parallel, &cost))
      continue;
    *ret_left_alone |= cost.is_alone;
    find_small(report, parallel, &cost, members, &rest);
  }
  return rest.waiting;
}

/* What threads waited beside ready tasks, as far as the budget goes. Of more threads than processors they may
 * have waited for these. */
static double without_crowd(struct report *report, uint32_t region, double budget, double n) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  double beside = waited_beside(report, parallel) / processors_at_most(report, n);
  if (!processors_are_too_few(report, parallel))
    return least(budget, beside);
  double most = least(beside, most_on_processors(report, parallel, n, 0));
  findings_charge_crowd(report, region, least(budget, most));
  return 0;
}

void findings_of_tasks(struct report *report, uint32_t region, double budget, double n) {
  bool is_alone;
  const struct report_ready *ready = &report->regions[region].parallel->ready_tasks;
  double left = find_small_tasks(report, region, budget, n, &is_alone);
  double starved = ready->without - (left < budget ? ready->idle : 0);
  budget = left;
  if (is_alone)
    budget = findings_subtract_disturbed(report, region, budget);
  double without = least(budget, starved / processors_at_most(report, n)),
         beside = without_crowd(report, region, budget - without, n);
  if (!processors_are_too_few(report, report->regions[region].parallel))
    without = budget - beside; /* before there was any task none was ready either */
  without = findings_of_taskwaits(report, region, without, n);
  findings_of_ready_tasks(report, region, without, beside);
}
