/* Loops with ordered(n) whose iterations run one after another. */
#include <inttypes.h>

#include "report/finding.h"

/* What an iteration does before its sink: as those that did not wait, and those that have no sink, less what
 * the others do behind theirs. Ticks; 0: nothing is known. */
static double before_sink(const struct report_doacross *doacross) {
  double alone = (double)doacross->alone.sum - spread_mean(&doacross->chain) * (double)doacross->alone.count;
  double known = (double)doacross->free.sum + (alone > 0 ? alone : 0);
  uint64_t count = doacross->free.count + doacross->alone.count;
  return count ? known / (double)count : 0;
}

double finding_doacross_waiting(const struct report_doacross *doacross) {
  double most = (double)doacross->before_waited, least = (double)doacross->after_source;
  double worked = before_sink(doacross) * (double)doacross->waited;
  return worked < least ? most - least : worked > most ? 0 : most - worked;
}

static void find_doacross(struct report *report, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  const struct report_doacross *doacross = loop->doacross;
  struct finding_texts texts = {.report = report};
  double waited = finding_doacross_waiting(doacross), members = finding_threads(report, loop->parallel);
  struct report_finding *finding =
      finding_add(report, CAUSE_DOACROSS, region, waited / members + doacross->imbalance);
  if (!finding)
    return;
  report->lost_in_work += waited / members;
  finding_printf(finding->what, "iterations of %s wait for one another", finding_label(&texts, region));
  finding_printf(
      finding->evidence,
      "of %" PRIu64 " sinks %" PRIu64
      " may have waited, since their source was posted after their thread had begun the iteration: %s in all "
      "(%s at most), if iterations need %s before their sink; %s each lie between sink and source, a chain "
      "of %s",
      doacross->sinks, doacross->waited, finding_time(&texts, waited),
      finding_time(&texts, (double)(doacross->before_waited - doacross->after_source)),
      finding_time(&texts, before_sink(doacross)), finding_time(&texts, spread_mean(&doacross->chain)),
      finding_time(&texts, (double)doacross->chain.sum));
}

void findings_of_doacross(struct report *report) {
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].loop && report->regions[i].loop->doacross)
      find_doacross(report, i);
}
