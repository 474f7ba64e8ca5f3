/* Parallel regions with a team of one thread, inside of other teams or because the program requests one
 * thread: the runtime makes a team all the same. Only part of its cost lies between events that have no code
 * of the program in between. The rest lies before the fork and after the join, and before and after the
 * constructs inside: the shortest time there is the runtime's, if it is short. */
#include "report/collect/serialised.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/plural.h"
#include "report/finding.h"

/* Fewer are no matter; of longer ones others are the cause. */
enum { OFTEN = 10, LONG_NS = 10000 };

/* Longer than this around the constructs inside is the program's own code (libomp 14: 0.25 us). */
enum { OWN_NS_MAX = 1000 };
static const double SHORTEST = 0.25;

/* Of the gain: the call's time before its first event and after its last one is seen in part. Of the time
 * subtracted for callbacks: it is an estimate. */
static const double CALL_UNCERTAINTY = 0.1, CALLBACKS_UNCERTAINTY = 0.5, CALLBACKS_MAX = 0.5;

/* -- instances -- */

static struct report_serialised *serialised_of(struct report_parallel *parallel) {
  if (!parallel->serialised) {
    parallel->serialised = memory_get(1, sizeof *parallel->serialised);
    parallel->serialised->own = histogram_new();
    parallel->serialised->between = histogram_new();
  }
  return parallel->serialised;
}

void serialised_add(struct report_parallel *parallel, const struct live_team *live_team,
                    uint64_t begin_ticks) {
  struct report_serialised *serialised = serialised_of(parallel);
  serialised->instances++;
  serialised->nested += live_team->is_nested;
  serialised->begins += begin_ticks;
  serialised->waited += live_team->implicit_wait;
  if (live_team->own_pieces > 1) { /* one piece: no construct is inside, and it may be the program's */
    serialised->divided++;
    serialised->pieces += live_team->own_pieces;
    serialised->own_sum += live_team->own;
    histogram_add(serialised->own, live_team->own);
  }
  if (live_team->since_end > 0) {
    serialised->followed++;
    serialised->between_sum += live_team->since_end;
    histogram_add(serialised->between, live_team->since_end);
  }
}

const struct report_serialised *serialised_often(const struct report *report, uint32_t region) {
  const struct report_serialised *serialised = report->regions[region].parallel->serialised;
  double most = LONG_NS * (double)report->trace->clock.ticks_per_second / 1e9;
  bool is_often = serialised && serialised->instances >= OFTEN;
  return is_often && (double)(serialised->begins + serialised->waited) <= most * (double)serialised->instances
             ? serialised
             : NULL;
}

void serialised_free(struct report_serialised *serialised) {
  if (!serialised)
    return;
  free(serialised->own);
  free(serialised->between);
  free(serialised);
}

/* -- what one costs -- */

struct region_cost {
  double visible, in_work, callbacks; /* in_work: what counts as the program's; callbacks: are in neither */
};

static double positive(double ticks) {
  return ticks > 0 ? ticks : 0;
}

static void add_visible(struct region_cost *cost, double sum, double instances, double own) {
  cost->visible += positive(sum / instances - own);
  cost->callbacks += sum > 0 ? own : 0;
}

/* (In few different ones the quartile may be more than their mean, and the middle of its step too.) */
static double shortest_of(const uint32_t *histogram, uint64_t sum, uint64_t count) {
  return count ? fmin((double)histogram_quantile(histogram, SHORTEST), (double)sum / (double)count) : 0;
}

/* Around the constructs inside: a callback is in each piece. */
static void add_own(const struct report *report, struct region_cost *cost,
                    const struct report_serialised *serialised) {
  double most = OWN_NS_MAX * (double)report->trace->clock.ticks_per_second / 1e9;
  double shortest = shortest_of(serialised->own, serialised->own_sum, serialised->divided);
  if (serialised->divided == 0 || shortest > most)
    return;
  double share = (double)serialised->divided / (double)serialised->instances;
  double callbacks =
      (double)serialised->pieces / (double)serialised->divided * (double)report->caveats.callback_ticks;
  cost->in_work += share * positive(shortest - callbacks);
  cost->callbacks += share * callbacks;
}

/* From the end of one to the next fork: as much at most as twice from a fork to its begin, where all is the
 * runtime's. Two callbacks are in it. */
static void add_between(struct region_cost *cost, const struct report_serialised *serialised, double own) {
  double shortest = shortest_of(serialised->between, serialised->between_sum, serialised->followed);
  double most = 2 * (double)serialised->begins / (double)serialised->instances;
  double share = (double)serialised->followed / (double)serialised->instances;
  cost->in_work += share * positive(fmin(shortest - 2 * own, most));
  cost->callbacks += share * 2 * own;
}

static struct region_cost cost_of(const struct report *report, const struct report_serialised *serialised) {
  struct region_cost cost = {0};
  double n = (double)serialised->instances, own = (double)report->caveats.callback_ticks;
  add_visible(&cost, (double)serialised->begins, n, own);
  add_visible(&cost, (double)serialised->waited, n, own);
  add_own(report, &cost, serialised);
  add_between(&cost, serialised, own);
  return cost;
}

double serialised_cost(const struct report *report, uint32_t region) {
  const struct report_serialised *serialised = serialised_often(report, region);
  if (!serialised)
    return 0;
  struct region_cost cost = cost_of(report, serialised);
  return cost.visible + cost.in_work;
}

/* -- the finding -- */

static void describe(struct report *report, struct report_finding *finding, const struct region_cost *cost) {
  struct finding_texts texts = {.report = report};
  const struct report_parallel *parallel = report->regions[finding->region].parallel;
  const struct report_serialised *serialised = parallel->serialised;
  finding_printf(finding->what, "teams of one thread in %s", finding_label(&texts, finding->region));
  finding_printf(finding->evidence,
                 "%" PRIu64 " of %" PRIu64 " time%s it has a team of one, %" PRIu64
                 " of them inside of another team; the runtime needs about %s each time, Stave's "
                 "callbacks not counted",
                 serialised->instances, parallel->instances, plural(parallel->instances), serialised->nested,
                 finding_time(&texts, cost->visible + cost->in_work));
  bool is_nested = serialised->nested * 2 > serialised->instances;
  finding_printf(
      finding->advice, "%s (an if clause, num_threads(1) or OMP_MAX_ACTIVE_LEVELS make the same team of one)",
      is_nested ? "a cut-off: below the outermost teams call a version of the function without the "
                  "directive, or create tasks with a cut-off in one region around all"
                : "call the code without the directive where one thread does it, or put one region "
                  "around several");
}

void serialised_find(struct report *report, uint32_t region) {
  const struct report_serialised *serialised = serialised_often(report, region);
  if (!serialised)
    return;
  struct region_cost cost = cost_of(report, serialised);
  double n = processors_at_most(report, finding_threads(report, region));
  double each = (double)serialised->instances / n, gain = each * (cost.visible + cost.in_work);
  struct report_finding *finding = finding_add(report, CAUSE_SERIALISED, region, gain);
  if (!finding)
    return;
  double callbacks = each * cost.callbacks;
  report->lost_in_work += each * cost.in_work;
  report->lost_anyway += each * cost.in_work;
  finding_set_uncertainty(report, finding, hypot(CALL_UNCERTAINTY * gain, CALLBACKS_UNCERTAINTY * callbacks));
  if (CALLBACKS_MAX * callbacks > gain)
    finding->doubt = "Stave's callbacks lasted more than twice as long, and their cost is an estimate";
  describe(report, finding, &cost);
}
