/* Threads that have to wait for processors, since there are more of them, or since other programs want them:
 * one cause, which shows as slow barriers, late starts and imbalance of every region. */
#include <inttypes.h>

#include "report/collect.h"
#include "report/finding.h"

/* A fifth of the region is lost, and barriers that let go late and threads that begin late are a fifth of all
 * that is lost at least: where threads compute in turns these are two fifths and more (libomp 14, 3 to 8
 * threads on 2 processors), where they sleep hardly any. */
static const double SHARE_LEAST = 0.2;

/* Of the processors' time, by other programs. */
static const double OTHERS_LEAST = 0.1;

static bool wants_processors(const struct report_parallel *parallel) {
  double by_system = (double)parallel->release + (double)parallel->late;
  double lost = (double)parallel->activity[ACTIVITY_BARRIER_WAIT] +
                (double)parallel->activity[ACTIVITY_TASK_WAIT] + (double)parallel->late;
  return by_system >= SHARE_LEAST * lost && lost >= SHARE_LEAST * (double)parallel->thread_time;
}

/* With whom the region's threads share them; NULL: with nobody. */
static struct report_shared *shared_with(struct report *report, uint64_t threads) {
  const struct report_processors *processors = &report->processors;
  if (processors->count > 0 && threads > processors->count)
    return &report->shared[SHARED_WITH_THREADS];
  return processors->others > OTHERS_LEAST * processors->all ? &report->shared[SHARED_WITH_OTHERS] : NULL;
}

bool findings_take_shared(struct report *report, uint32_t region, double gain) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  uint64_t threads = parallel->is_nested ? parallel->at_once : parallel->smallest;
  struct report_shared *all = shared_with(report, threads);
  if (!all || !wants_processors(parallel))
    return false;
  if (all->regions++ == 0 || gain > all->greatest) {
    all->region = region;
    all->greatest = gain;
  }
  all->gain += gain;
  all->threads = threads > all->threads ? threads : all->threads;
  return true;
}

static void find_oversubscription(struct report *report) {
  const struct report_shared *all = &report->shared[SHARED_WITH_THREADS];
  struct finding_texts texts = {.report = report};
  struct report_finding *finding =
      all->regions ? finding_add(report, CAUSE_OVERSUBSCRIPTION, all->region, all->gain) : NULL;
  if (!finding)
    return;
  finding_say(finding->what, "%" PRIu64 " threads share %" PRIu64 " processor%s", all->threads,
              report->processors.count, report->processors.count == 1 ? "" : "s");
  finding_say(finding->evidence,
              "%" PRIu64
              " parallel region%s more threads than the process may use processors; waiting and late "
              "starts there cost %s, most in %s (%s): which of it has other causes cannot be told",
              all->regions, all->regions == 1 ? " has" : "s have", finding_time(&texts, all->gain),
              finding_label(&texts, all->region), finding_time(&texts, all->greatest));
  finding_say(finding->advice,
              "no more threads than processors (OMP_NUM_THREADS, num_threads), or more processors for the "
              "process (taskset, cgroup, batch system)");
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
  finding_say(finding->what, "other programs use %s of the %" PRIu64 " processor%s",
              finding_share(&texts, processors->others, processors->all), processors->count,
              processors->count == 1 ? "" : "s");
  finding_say(
      finding->evidence,
      "they ran for %s of processor time, this one for %s; in %" PRIu64
      " parallel region%s threads begin late or are let go late, which with all waiting costs %s, most "
      "in %s (%s)",
      finding_time(&texts, processors->others), finding_time(&texts, processors->own), all->regions,
      all->regions == 1 ? "" : "s", finding_time(&texts, all->gain), finding_label(&texts, all->region),
      finding_time(&texts, all->greatest));
  finding_say(finding->advice, "measure where nothing else runs (batch system, cpuset); with fewer threads "
                               "than processors, one that is taken away delays nobody");
}

void findings_of_shared(struct report *report) {
  find_oversubscription(report);
  find_other_programs(report);
}
