/* Chunks of loops that are so small that getting them costs more than a hundredth of the time. A chunk lasts
 * until its thread has the next one, so its time includes that cost, as if it were work. */
#include <math.h>
#include <string.h>

#include "report/collect/analyser.h"
#include "report/finding.h"
#include "trace/constructs.h"
#include "trace/detail.h"

/* Two processors that need chunks at the same time get one each 0.16 us, one after the other, and each 0.23
 * us where they share no cache (libomp 19; where one alone needs them it is taken to be the same). */
#define TURN_NS 180.0
#define TURN_UNCERTAINTY 0.25
#define MEAN_NS_MAX (100 * TURN_NS)
enum { CHUNKS_MIN = 1000 };

static double ns_of(const struct report *report, double ticks) {
  return ticks * 1e9 / (double)report->trace->clock.ticks_per_second;
}

/* The cost of getting a chunk: a turn, and the turns of the others that need one then, which is each of them
 * for the share of its time in which it gets chunks: g = TURN (1 + others g / mean). Where turns are all that
 * there is, g is the entire chunk. */
static double getting_ns(double mean_ns, double processors) {
  double others_ns = (processors - 1) * TURN_NS;
  return mean_ns <= others_ns + TURN_NS ? mean_ns : TURN_NS * mean_ns / (mean_ns - others_ns);
}

/* The chunks of a loop: what the runtime has reported, or what follows from the program's code. */
struct chunks {
  double count, iterations, mean; /* how many; iterations and ticks of one */
  bool is_reported;
};

static void describe(const struct report *report, struct report_finding *finding, const struct chunks *chunks,
                     double getting, double larger) {
  struct finding_texts texts = {.report = report};
  finding_printf(finding->what, "chunks too small in %s", finding_label(&texts, finding->region));
  finding_printf(finding->evidence,
                 "%.0f chunks of %.1f iterations last %s each on average, of which %s are assumed to be the "
                 "cost of getting it",
                 chunks->count, chunks->iterations, finding_time(&texts, chunks->mean),
                 finding_time(&texts, getting));
  finding_printf(
      finding->advice,
      "larger chunks: schedule(dynamic, %.0f) or more, schedule(guided), or static if iterations are alike",
      larger);
  if (chunks->is_reported)
    return;
  finding_append(finding->evidence, "; the runtime does not report chunks, how large they are is in the "
                                    "program's code");
  finding->doubt = "the runtime does not report chunks: a run with schedule(static) shows their cost";
}

static void find_small_chunks(struct report *report, uint32_t region, const struct chunks *chunks) {
  const struct report_loop *loop = report->regions[region].loop;
  double n = finding_threads(report, loop->parallel), processors = processors_at_most(report, n);
  double mean_ns = ns_of(report, chunks->mean) * processors / n;
  if (mean_ns >= MEAN_NS_MAX)
    return;
  double getting = getting_ns(mean_ns, processors) / 1e9 * (double)report->trace->clock.ticks_per_second;
  /* the first of each is what a static schedule has, too: the runtime reports that one as a chunk */
  double gain = (chunks->count - (double)loop->encounters) * getting / processors;
  struct report_finding *finding = finding_add(report, CAUSE_CHUNK_SIZE, region, gain);
  if (!finding)
    return;
  finding_set_uncertainty(report, finding, TURN_UNCERTAINTY * gain);
  report->lost_in_work += gain;
  describe(report, finding, chunks, getting, ceil(chunks->iterations * MEAN_NS_MAX / mean_ns));
}

/* Each thread that encounters a loop names all its iterations. */
static struct chunks chunks_of(const struct report *report, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  if (loop->chunk_time.count > 0)
    return (struct chunks){(double)loop->chunk_time.count, spread_mean(&loop->chunks),
                           spread_mean(&loop->chunk_time), true};
  uint32_t chunk = detail_chunk(&report->trace->regions[region]);
  if (chunk == 0 || strcmp(detail_schedule(&report->trace->regions[region]), "dynamic") != 0)
    return (struct chunks){0};
  double count = (double)loop->trips.sum / finding_threads(report, loop->parallel) / chunk;
  return (struct chunks){count, chunk, count > 0 ? (double)loop->time.sum / count : 0, false};
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    if (!report->regions[i].loop || construct_of_region(&report->trace->regions[i]) == CONSTRUCT_sections)
      continue;
    struct chunks chunks = chunks_of(report, i);
    if (chunks.count >= CHUNKS_MIN)
      find_small_chunks(report, i, &chunks);
  }
}

const struct analyser chunks_analyser = {.find = find};
