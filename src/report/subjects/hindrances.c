/* What kept threads from running, where the kernel reports how long they were preempted: a cause and a remedy
 * for each. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/plural.h"
#include "report/collect/account.h"
#include "report/collect/analyser.h"
#include "report/finding.h"

/* "of 2 threads x 1.2 s". */
static void describe_lost(struct finding_texts *texts, struct report_finding *finding,
                          enum hindrance hindrance) {
  const struct report_account *account = &texts->report->account;
  finding_append(finding->evidence, "%s of the threads' time (%s)",
                 finding_share(texts, account->lost[hindrance], account->all),
                 finding_time(texts, account->lost[hindrance]));
}

/* Of the gain: less is not worth naming; more makes it low. */
#define UNSURE_MIN 0.01
#define UNSURE_MAX 0.5

/* Of what threads were preempted for: the part in which they waited for each other, if they do that awake. It
 * delays nobody. As far as threads sleep they do it while they wait. */
static double share_of_waiting(const struct report *report) {
  double ready = 0, working = 0, waited = 0;
  for (size_t i = 0; i < report->trace->region_count; i++) {
    const struct report_parallel *parallel = report->regions[i].parallel;
    if (!parallel || !parallel->accounted_of)
      continue;
    ready += parallel->ready;
    waited += (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] + parallel->activity[ACTIVITY_TASK_WAIT]);
    for (size_t j = 0; j < report->trace->location_count; j++)
      working += parallel->accounted_of[j].ready_useful;
  }
  double asleep = waited > 0 ? fmin(1, report->account.slept / waited) : 1;
  return report->account.ready > 0 ? fmin(1, (1 - asleep) * (ready - working) / report->account.ready) : 0;
}

/* The middle of what is possible, and how far it is to the ends. */
static struct report_finding *add(struct report *report, enum report_cause cause, enum hindrance hindrance) {
  const struct report_account *account = &report->account;
  double gain = account->gain[hindrance];
  double unsure = hindrance < HINDRANCE_STOPPED ? gain * share_of_waiting(report) / 2 : 0;
  double all = hypot(unsure, account->unsure[hindrance]);
  struct report_finding *finding =
      account->is_known ? finding_add(report, cause, REPLAY_NONE, gain - unsure) : NULL;
  if (all >= UNSURE_MIN * gain)
    finding_set_uncertainty(report, finding, all);
  if (finding && finding->uncertainty_ticks > UNSURE_MAX * finding->gain_ticks)
    finding->doubt =
        "how many threads were preempted at a time, and which of them others waited for, is not known";
  return finding;
}

/* Of a job's nodes. */
static size_t machines_of(const struct trace *trace) {
  size_t count = 0;
  for (size_t i = 0; i < trace->location_group_count; i++) {
    size_t first = 0;
    while (trace->location_groups[first].node != trace->location_groups[i].node)
      first++;
    count += first == i;
  }
  return count;
}

/* How long processors had nothing to run. What others ran on those that a bound process may not use is not
 * known: no longer than the job itself left them. */
static double idle_processors(const struct report *report) {
  const struct report_processors *processors = &report->processors;
  const struct report_account *account = &report->account;
  double left = (double)(account->online * machines_of(report->trace)) * (double)report->wall - account->ran;
  if (processors->is_known && processors->count >= account->online)
    left = processors->all - processors->own - processors->others;
  return left > 0 ? left : 0;
}

/* Processors that others use are none that more binding could give: how much of the gain that is. */
static double used_by_others(const struct report *report, double gain) {
  double lost = report->account.lost[HINDRANCE_TEAM], idle = idle_processors(report);
  return idle < lost ? gain * (1 - idle / lost) : 0;
}

static void find_quota(struct report *report) {
  const struct report_account *account = &report->account;
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = add(report, CAUSE_QUOTA, HINDRANCE_QUOTA);
  if (!finding)
    return;
  finding_printf(finding->what, "a control group's quota of %.3g processor%s keeps threads from running",
                 account->quota, plural(account->quota));
  finding_printf(finding->evidence, "the kernel throttled the group while threads could run: ");
  describe_lost(&texts, finding, HINDRANCE_QUOTA);
  finding_printf(
      finding->advice,
      "a larger quota (cpu.max, cpu.cfs_quota_us; docker run --cpus, the CPU limit of a pod), or no "
      "more threads than it has processors (OMP_NUM_THREADS=%.0f)",
      account->quota < 1 ? 1 : account->quota);
}

bool account_is_bound(const struct report_account *account) {
  return account->is_known && account->shared > 0 && account->threads > account->shared &&
         account->online > account->shared;
}

static void find_binding(struct report *report) {
  const struct report_account *account = &report->account;
  struct finding_texts texts = {.report = report};
  struct report_finding *finding =
      account_is_bound(account) ? add(report, CAUSE_BINDING, HINDRANCE_TEAM) : NULL;
  if (!finding)
    return;
  finding->uncertainty_ticks += used_by_others(report, finding->gain_ticks);
  finding_printf(finding->what, "%" PRIu64 " threads are bound to %" PRIu64 " processor%s", account->threads,
                 account->shared, plural(account->shared));
  finding_printf(finding->evidence,
                 "the machine has %" PRIu64 " processors, these threads may use %" PRIu64
                 ": they were preempted by others of them for ",
                 account->online, account->shared);
  describe_lost(&texts, finding, HINDRANCE_TEAM);
  bool has_idle = idle_processors(report) > account->lost[HINDRANCE_TEAM] / 2;
  char fewer[64];
  snprintf(fewer, sizeof fewer, "OMP_NUM_THREADS=%" PRIu64, account->shared);
  finding_printf(finding->advice,
                 "%s%sbind the process to as many processors as it has threads (mpirun --bind-to none or "
                 "--map-by :PE=%" PRIu64 ", srun --cpus-per-task=%" PRIu64 ", taskset, OMP_PLACES)%s%s",
                 has_idle ? "" : fewer, has_idle ? "" : "; where processors are free: ", account->threads,
                 account->threads, has_idle ? ", or " : "", has_idle ? fewer : "");
  finding->unsure = "other processes use the other processors, of which no binding gives these threads more";
}

static void find_own_threads(struct report *report) {
  const struct report_account *account = &report->account;
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = add(report, CAUSE_OWN_THREADS, HINDRANCE_OWN_THREADS);
  if (!finding)
    return;
  finding_printf(finding->what, "threads of the program that are none of OpenMP's use its processors");
  finding_printf(finding->evidence, "they ran for %s; OpenMP's were preempted meanwhile for ",
                 finding_time(&texts, account->own_threads));
  describe_lost(&texts, finding, HINDRANCE_OWN_THREADS);
}

static void find_other_processes(struct report *report) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding =
      report->has_running ? NULL : add(report, CAUSE_OTHER_PROGRAMS, HINDRANCE_OTHERS);
  if (!finding)
    return;
  finding_printf(finding->what, "threads wait for processors that other processes use");
  finding_printf(finding->evidence, "they were preempted for ");
  describe_lost(&texts, finding, HINDRANCE_OTHERS);
  if (report->processors.others > 0)
    finding_append(finding->evidence, "; others ran for %s of processor time on the %" PRIu64 " processor%s",
                   finding_time(&texts, report->processors.others), report->processors.count,
                   plural(report->processors.count));
}

static void find_stops(struct report *report) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = add(report, CAUSE_STOPPED, HINDRANCE_STOPPED);
  if (!finding)
    return;
  finding_printf(finding->what, "the program was stopped");
  finding_printf(finding->evidence,
                 "all its threads were stopped (SIGSTOP, SIGTSTP, a frozen control group): ");
  describe_lost(&texts, finding, HINDRANCE_STOPPED);
}

static void find_hypervisor(struct report *report) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = add(report, CAUSE_HYPERVISOR, HINDRANCE_HYPERVISOR);
  if (!finding)
    return;
  finding_printf(finding->what, "a hypervisor gives the processors to other virtual machines");
  finding_printf(finding->evidence, "time that the kernel calls stolen, in which threads had work to do: ");
  describe_lost(&texts, finding, HINDRANCE_HYPERVISOR);
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  find_quota(report);
  find_binding(report);
  find_own_threads(report);
  find_other_processes(report);
  find_stops(report);
  find_hypervisor(report);
}

const struct analyser hindrances_analyser = {.find = find};
