/* Chunks of loops that are so small that getting them takes more than a hundredth of the time. A chunk lasts
 * until its thread gets the next one, so what that takes is in its time, as if it were work. */
#include <inttypes.h>
#include <math.h>

#include "analysis/constructs.h"
#include "report/analyser.h"
#include "report/finding.h"

/* Two processors that want chunks at once get one each 0.16 us, one after the other, and each 0.23 us where
 * they share no cache (libomp 19; where one alone wants them it is taken to be the same). */
#define TURN_NS 180.0
#define TURN_UNCERTAINTY 0.25
#define MEAN_NS_MAX (100 * TURN_NS)
enum { CHUNKS_MIN = 1000 };

static double ns_of(const struct report *report, double ticks) {
  return ticks * 1e9 / (double)report->trace->clock.ticks_per_second;
}

/* What getting a chunk takes: a turn, and those of the others that want one then, which each of them does for
 * the part of its time that getting takes: g = TURN (1 + others g / mean). Where turns are all that there is,
 * g is the whole chunk. */
static double getting_ns(double mean_ns, double processors) {
  double others_ns = (processors - 1) * TURN_NS;
  return mean_ns <= others_ns + TURN_NS ? mean_ns : TURN_NS * mean_ns / (mean_ns - others_ns);
}

static void find_small_chunks(struct report *report, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  struct finding_texts texts = {.report = report};
  double n = finding_threads(report, loop->parallel), processors = processors_at_most(report, n);
  double mean = spread_mean(&loop->chunk_time), mean_ns = ns_of(report, mean) * processors / n;
  if (mean_ns >= MEAN_NS_MAX)
    return;
  double getting = getting_ns(mean_ns, processors) / 1e9 * (double)report->trace->clock.ticks_per_second;
  /* the first of each is what a static schedule has, too: the runtime reports that one as a chunk */
  double gain = ((double)loop->chunk_time.count - (double)loop->encounters) * getting / processors;
  struct report_finding *finding = finding_add(report, CAUSE_CHUNK_SIZE, region, gain);
  if (!finding)
    return;
  finding->uncertainty_ticks = TURN_UNCERTAINTY * gain;
  report->lost_in_work += gain;
  finding_printf(finding->what, "chunks too small in %s", finding_label(&texts, region));
  finding_printf(finding->evidence,
                 "%" PRIu64
                 " chunks of %.1f iterations last %s each on average, of which %s are taken to be what "
                 "getting it takes",
                 loop->chunk_time.count, spread_mean(&loop->chunks), finding_time(&texts, mean),
                 finding_time(&texts, getting));
  finding_printf(
      finding->advice,
      "larger chunks: schedule(dynamic, %.0f) or more, schedule(guided), or static if iterations are alike",
      ceil(spread_mean(&loop->chunks) * MEAN_NS_MAX / mean_ns));
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].loop && report->regions[i].loop->chunk_time.count >= CHUNKS_MIN &&
        construct_of_region(&report->trace->regions[i]) != CONSTRUCT_sections)
      find_small_chunks(report, i);
}

const struct analyser chunks_analyser = {.find = find};
