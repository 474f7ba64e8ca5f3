/* Threads that have to wait for processors, since there are more of them, or since other programs need them:
 * one cause, which shows as slow barriers, late starts and imbalance of every region. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/plural.h"
#include "report/collect/account.h"
#include "report/collect/analyser.h"
#include "report/finding.h"

/* A fifth of the region is lost, and barriers that let go late and threads that begin late are a fifth of all
 * that is lost at least. Where threads compute in turns these are two fifths and more (libomp 14, 3 to 8
 * threads on 2 processors), where they sleep hardly any. */
static const double SHARE_MIN = 0.2;

/* Of the processors' time, by other programs. */
static const double OTHERS_MIN = 0.1;

/* From barrier to barrier. With four threads on two processors OMP_WAIT_POLICY=passive saved time in 13 of 14
 * programs with longer ones, and cost it in five of six with phases below 0.4 ms
 * (docs/verdicts/oversubscribed.md). */
static const double LONG_PHASE_MS = 1;

static bool lacks_processors(const struct report_parallel *parallel) {
  double by_system = (double)parallel->release + (double)parallel->late;
  double lost = (double)parallel->activity[ACTIVITY_BARRIER_WAIT] +
                (double)parallel->activity[ACTIVITY_TASK_WAIT] + (double)parallel->late;
  return by_system >= SHARE_MIN * lost && lost >= SHARE_MIN * (double)parallel->thread_time;
}

/* With whom the region's threads share them; NULL: with nobody. */
static struct report_shared *shared_with(struct report *report, const struct report_parallel *parallel) {
  const struct report_processors *processors = &report->processors;
  if (processors_are_too_few(report, parallel) && !processors_are_left(report, parallel))
    return &report->shared[SHARED_WITH_THREADS];
  return processors->others > OTHERS_MIN * processors->all ? &report->shared[SHARED_WITH_OTHERS] : NULL;
}

static void add_shared(struct report_shared *all, const struct report *report, uint32_t region, double gain) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  uint64_t threads = processors_needed(parallel);
  if (all->regions++ == 0 || gain > all->greatest) {
    all->region = region;
    all->greatest = gain;
  }
  all->gain += gain;
  all->thread_time += parallel->thread_time;
  all->passages += parallel->passages;
  all->tasks += parallel->tasks;
  all->threads = threads > all->threads ? threads : all->threads;
}

/* What others used is measured, and what that leaves is the region's own. */
static bool is_accounted(const struct report *report, const struct report_shared *all) {
  return report->account.is_known &&
         (all == &report->shared[SHARED_WITH_OTHERS] || account_is_bound(&report->account));
}

bool findings_subtract_shared(struct report *report, uint32_t region, double waited_ticks, double shared) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct report_shared *all = shared_with(report, parallel);
  if (!all || !lacks_processors(parallel) || is_accounted(report, all))
    return false;
  all->waited += waited_ticks;
  add_shared(all, report, region, waited_ticks * shared);
  return true;
}

void findings_charge_crowd(struct report *report, uint32_t region, double gain) {
  if (gain > 0)
    add_shared(&report->shared[SHARED_WITH_THREADS], report, region, gain);
}

double findings_subtract_preempted(struct report *report, uint32_t region, double budget, double gain) {
  if (gain > 0)
    add_shared(&report->shared[SHARED_WITH_OTHERS], report, region, gain);
  return budget > gain ? budget - gain : 0;
}

double findings_subtract_disturbed(struct report *report, uint32_t region, double budget) {
  const struct report_processors *processors = &report->processors;
  struct report_shared *all = &report->shared[SHARED_WITH_OTHERS];
  double left = processors->others - all->gain, gain = budget < left ? budget : left;
  if (report->account.is_known || report->has_running || processors->others <= OTHERS_MIN * processors->all ||
      gain <= 0)
    return budget;
  add_shared(all, report, region, gain);
  return budget - gain;
}

/* Of one process's threads in a region. */
struct process_work {
  double most, sum, count;
};

/* What the busiest thread of the region has more than the mean of its process without the time that it was
 * ready, in ticks, the sum of all processes: no others that use the processors make it so. */
static double uneven_work(const struct report *report, const struct report_parallel *parallel) {
  size_t processes = PROCESS_COUNT(report->trace);
  struct process_work *works = memory_get(processes, sizeof *works);
  double uneven = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    struct process_work *work = &works[report->threads[i].process];
    double ready = parallel->accounted_of ? parallel->accounted_of[i].ready_useful : 0;
    double own = (double)parallel->useful[i] - ready;
    if (parallel->useful[i] == 0)
      continue;
    own = own > 0 ? own : 0;
    work->most = own > work->most ? own : work->most;
    work->sum += own;
    work->count++;
  }
  for (size_t i = 0; i < processes; i++)
    uneven += works[i].count > 0 ? works[i].most - works[i].sum / works[i].count : 0;
  free(works);
  return uneven;
}

/* The region's part of what kept threads from running, the sum of all processes: by how long they were ready
 * in it; stops by its time, which is such a sum itself. */
static double disturbance(const struct report *report, const struct report_parallel *parallel) {
  const struct report_account *account = &report->account;
  double processes = report->process_count ? (double)report->process_count : 1;
  double stopped = account->gain[HINDRANCE_STOPPED];
  double others = report_hindrance_gain(report) * processes - stopped;
  double by_wall = report->wall ? (double)parallel->wall / ((double)report->wall * processes) : 0;
  double by_ready = account->ready > 0 ? parallel->ready / account->ready : 0;
  return stopped * by_wall + others * (by_ready < 1 ? by_ready : 1);
}

double findings_disturbed(const struct report *report, const struct report_parallel *parallel, double n) {
  if (processors_are_too_few(report, parallel))
    return 0;
  if (report->has_running)
    return parallel->preempted * (double)parallel->members / (double)parallel->instances / n;
  return report->account.is_known ? disturbance(report, parallel) : 0;
}

double findings_leave_own(const struct report *report, uint32_t region, double *budget) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  double disturbed = disturbance(report, parallel);
  if (!report->account.is_known || report->has_running || disturbed <= 0)
    return 0;
  double uneven = parallel->useful ? uneven_work(report, parallel) : 0;
  double own = *budget < uneven ? *budget : uneven;
  *budget = *budget - own > disturbed ? *budget - own - disturbed : 0;
  return own;
}

/* -- how threads wait -- */

static void add_waiting(struct report_waiting *sum, const struct report_waiting *waiting) {
  for (int i = 0; i < RUNNING_COUNT; i++)
    sum->running[i] += waiting->running[i];
  sum->yields += waiting->yields;
  sum->sleeps += waiting->sleeps;
}

/* In teams. */
static struct report_waiting all_waiting(const struct report *report) {
  struct report_waiting sum = {0};
  for (size_t i = 0; i < report->trace->region_count; i++)
    add_waiting(&sum, &report->regions[i].waiting);
  return sum;
}

enum finding_waiting finding_waiting(const struct report *report) {
  struct report_waiting all = all_waiting(report);
  uint64_t awake = all.running[RUNNING_ON] + all.running[RUNNING_YIELDED];
  uint64_t asleep = all.running[RUNNING_BLOCKED];
  if (awake == asleep)
    return FINDING_WAITING_UNKNOWN;
  return awake > asleep ? FINDING_WAITING_AWAKE : FINDING_WAITING_ASLEEP;
}

void finding_printf_waiting(struct finding_texts *texts, char text[FINDING_BYTES]) {
  struct report_waiting all = all_waiting(texts->report);
  if (finding_waiting(texts->report) == FINDING_WAITING_UNKNOWN)
    return;
  finding_append(text,
                 "; threads that wait spin (%s in all teams), yield (%" PRIu64
                 " time%s) and sleep (%s, %" PRIu64 " time%s)",
                 finding_time(texts, (double)all.running[RUNNING_ON]), all.yields, plural(all.yields),
                 finding_time(texts, (double)all.running[RUNNING_BLOCKED]), all.sleeps, plural(all.sleeps));
}

/* -- the findings -- */

/* Who sleeps has to be woken: between short phases, and for tasks, that costs more than it leaves to others.
 * How threads wait is set for the run: most phases of all these regions decide, not those of the one that
 * costs most. It is recorded, or seen by the account. */
static bool would_sleeping_help(const struct report *report, const struct report_shared *all) {
  double ms = (double)report->trace->clock.ticks_per_second / 1e3;
  bool is_awake = finding_waiting(report) == FINDING_WAITING_AWAKE ||
                  processors_are_held(report, report->regions[all->region].parallel);
  return is_awake && all->tasks == 0 && all->passages > 0 &&
         (double)all->thread_time >= LONG_PHASE_MS * ms * (double)all->passages;
}

static void find_oversubscription(struct report *report) {
  struct report_shared *all = &report->shared[SHARED_WITH_THREADS];
  struct finding_texts texts = {.report = report};
  if (account_is_bound(&report->account)) /* that is the finding */
    return;
  struct report_finding *finding =
      all->regions ? finding_add(report, CAUSE_OVERSUBSCRIPTION, all->region, all->gain) : NULL;
  all->unattributed = finding || all->waited < FINDING_MIN_SHARE * (double)report->wall ? 0 : all->waited;
  if (!finding)
    return;
  finding->uncertainty_ticks = finding->gain_ticks; /* fewer may lose as much */
  finding->doubt = finding_reason(CAUSE_OVERSUBSCRIPTION);
  finding_printf(finding->what, "%" PRIu64 " threads share %" PRIu64 " processor%s", all->threads,
                 report->processors.count, plural(report->processors.count));
  finding_printf(
      finding->evidence,
      "%" PRIu64 " parallel region%s %s more threads than the process may use processors; waiting and late "
      "starts there cost %s, most in %s (%s): which of it has other causes is not known",
      all->regions, plural(all->regions), all->regions == 1 ? "has" : "have", finding_time(&texts, all->gain),
      finding_label(&texts, all->region), finding_time(&texts, all->greatest));
  if (report->has_running)
    finding_append(finding->evidence, "; threads were preempted for %s of their work",
                   finding_time(&texts, (double)report->preempted_useful));
  finding_printf_waiting(&texts, finding->evidence);
  if (would_sleeping_help(report, all))
    finding_append(
        finding->advice,
        "; OMP_WAIT_POLICY=passive (libomp: KMP_BLOCKTIME=0) leaves the processors of threads that wait "
        "to others");
}

/* Of what threads were preempted: what the account gives to no other cause. */
static double share_of_others(const struct report_account *account) {
  double known = 0;
  for (int i = 0; i < HINDRANCE_OTHERS; i++)
    known += account->lost[i];
  return account->is_known && known < account->ready ? 1 - known / account->ready
         : account->is_known && known > 0            ? 0
                                                     : 1;
}

/* Whose threads were preempted, is measured: by whom, the account knows where it was not by other processes.
 */
static void find_preemption(struct report *report) {
  const struct report_shared *all = &report->shared[SHARED_WITH_OTHERS];
  struct finding_texts texts = {.report = report};
  double serial = (double)report->preempted_serial, share = share_of_others(&report->account);
  uint32_t region = all->regions ? all->region : REPLAY_NONE;
  struct report_finding *finding =
      finding_add(report, CAUSE_OTHER_PROGRAMS, region, (all->gain + serial) * share);
  if (!finding)
    return;
  finding_printf(finding->what, "threads lose their processors to other programs");
  finding_printf(finding->evidence, "they were preempted for %s of their work",
                 finding_time(&texts, (double)report->preempted_useful));
  if (share < 1)
    finding_append(finding->evidence, ", %s of it by other processes", finding_share(&texts, share, 1));
  if (all->regions)
    finding_append(finding->evidence,
                   "; the last to come to barriers would have come %s earlier without it, most in %s (%s)",
                   finding_time(&texts, all->gain), finding_label(&texts, all->region),
                   finding_time(&texts, all->greatest));
  if (serial > 0)
    finding_append(finding->evidence, "; %s of it outside of parallel regions", finding_time(&texts, serial));
}

/* What others have used can have delayed the program by no more than that. */
static void find_other_programs(struct report *report) {
  const struct report_shared *all = &report->shared[SHARED_WITH_OTHERS];
  const struct report_processors *processors = &report->processors;
  struct finding_texts texts = {.report = report};
  double gain = all->gain < processors->others ? all->gain : processors->others;
  struct report_finding *finding =
      all->regions ? finding_add(report, CAUSE_OTHER_PROGRAMS, all->region, gain) : NULL;
  if (!finding)
    return;
  finding_printf(finding->what, "other programs use %s of the %" PRIu64 " processor%s",
                 finding_share(&texts, processors->others, processors->all), processors->count,
                 plural(processors->count));
  finding_printf(
      finding->evidence,
      "they ran for %s of processor time, this one for %s; in %" PRIu64
      " parallel region%s threads start late, leave barriers late or wait for one that creates small tasks, "
      "which with all waiting costs %s, most in %s (%s)",
      finding_time(&texts, processors->others), finding_time(&texts, processors->own), all->regions,
      plural(all->regions), finding_time(&texts, all->gain), finding_label(&texts, all->region),
      finding_time(&texts, all->greatest));
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  find_oversubscription(report);
  if (report->has_running)
    find_preemption(report);
  else if (!report->account.is_known)
    find_other_programs(report);
}

const struct analyser threads_analyser = {.find = find};
