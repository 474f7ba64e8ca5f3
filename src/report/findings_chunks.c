/* Chunks of loops that are so small that getting them takes most of the time. A chunk lasts until its thread
 * gets the next one, so what that takes is in its time, as if it were work, also in that of the shortest. */
#include <inttypes.h>

#include "analysis/constructs.h"
#include "report/collect.h"
#include "report/finding.h"

/* Getting a chunk takes 0.1 us alone, 0.4 us where two processors want one at once, and some us where more do
 * (libomp 15 to 19). */
#define ALONE_NS 100.0
#define TOGETHER_NS 400.0
#define MEAN_NS_MOST 10e3
#define SHORTEST_NS_MOST 1e3
#define WANTED_NS 100e3
enum { CHUNKS_LEAST = 1000 };

static double ns_of(const struct report *report, double ticks) {
  return ticks * 1e9 / (double)report->trace->clock.ticks_per_second;
}

static bool is_small(const struct report *report, const struct report_loop *loop) {
  return loop->chunks.count >= CHUNKS_LEAST && loop->chunk_time.count >= CHUNKS_LEAST &&
         ns_of(report, spread_mean(&loop->chunk_time)) < MEAN_NS_MOST &&
         ns_of(report, (double)loop->chunk_time.min) < SHORTEST_NS_MOST;
}

/* What is left of the shortest chunk without getting it. */
static double work_of_chunk(const struct report *report, const struct report_loop *loop, double n) {
  double ns = ns_of(report, (double)loop->chunk_time.min), getting = n < 2 ? ALONE_NS : TOGETHER_NS;
  return ns > getting ? (ns - getting) / ns * (double)loop->chunk_time.min : 0;
}

static void find_small_chunks(struct report *report, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  struct finding_texts texts = {.report = report};
  double n = finding_threads(report, loop->parallel), one = work_of_chunk(report, loop, n);
  double work = one * (double)loop->chunk_time.count;
  double gain = (double)loop->chunk_time.sum / n - work / processors_at_most(report, n);
  struct report_finding *finding = finding_add(report, CAUSE_CHUNK_SIZE, region, gain);
  if (!finding)
    return;
  report->lost_in_work += gain;
  double times = WANTED_NS / ns_of(report, spread_mean(&loop->chunk_time));
  finding_say(finding->what, "the chunks of %s are too small", finding_label(&texts, region));
  finding_say(
      finding->evidence,
      "%" PRIu64
      " chunks of %.1f iterations last %s each on average, the shortest %s, of which %s are taken to be "
      "work: all else is what threads need to get the next one",
      loop->chunk_time.count, spread_mean(&loop->chunks),
      finding_time(&texts, spread_mean(&loop->chunk_time)),
      finding_time(&texts, (double)loop->chunk_time.min), finding_time(&texts, one));
  finding_say(
      finding->advice,
      "larger chunks: schedule(dynamic, %.0f) or more, schedule(guided), or static if iterations are alike",
      spread_mean(&loop->chunks) * times);
}

void findings_of_chunks(struct report *report) {
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].loop && is_small(report, report->regions[i].loop) &&
        construct_of_region(&report->trace->regions[i]) != CONSTRUCT_sections)
      find_small_chunks(report, i);
}
