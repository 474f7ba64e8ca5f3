/* More threads than processors: one cause, which shows as slow barriers, late starts and imbalance of every
 * region. */
#include <inttypes.h>

#include "report/finding.h"

/* A fifth of the region is lost, and barriers that let go late and threads that begin late are a fifth of all
 * that is lost at least: where threads compute in turns these are two fifths and more (libomp 14, 3 to 8
 * threads on 2 processors), where they sleep hardly any. */
static const double SHARE_LEAST = 0.2;

static bool wants_processors(const struct report_parallel *parallel) {
  double by_system = (double)parallel->release + (double)parallel->late;
  double lost = (double)parallel->activity[ACTIVITY_BARRIER_WAIT] +
                (double)parallel->activity[ACTIVITY_TASK_WAIT] + (double)parallel->late;
  return by_system >= SHARE_LEAST * lost && lost >= SHARE_LEAST * (double)parallel->thread_time;
}

bool findings_take_oversubscribed(struct report *report, uint32_t region, double gain) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct report_oversubscription *all = &report->oversubscription;
  uint64_t threads = parallel->is_nested ? parallel->at_once : parallel->smallest;
  if (report->processors == 0 || threads <= report->processors || !wants_processors(parallel))
    return false;
  if (all->regions++ == 0 || gain > all->greatest) {
    all->region = region;
    all->greatest = gain;
  }
  all->gain += gain;
  all->threads = threads > all->threads ? threads : all->threads;
  return true;
}

void findings_of_oversubscription(struct report *report) {
  const struct report_oversubscription *all = &report->oversubscription;
  struct finding_texts texts = {.report = report};
  struct report_finding *finding =
      all->regions ? finding_add(report, CAUSE_OVERSUBSCRIPTION, all->region, all->gain) : NULL;
  if (!finding)
    return;
  finding_say(finding->what, "%" PRIu64 " threads share %" PRIu64 " processor%s", all->threads,
              report->processors, report->processors == 1 ? "" : "s");
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
