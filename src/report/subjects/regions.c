/* Parallel regions: what their threads lose goes to causes one after another, so that none is counted twice.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "report/collect/analyser.h"
#include "report/collect/equal_shares.h"
#include "report/collect/serialised.h"
#include "report/finding.h"
#include "report/subjects/doacross.h"
#include "report/subjects/reductions.h"
#include "trace/detail.h"

/* A region that is started so often should be merged with its neighbours if it is short, or not long and
 * loses so much of its time at its begin. Where longer ones begin late, that is not the cost of a fork. */
enum { OFTEN = 10, SHORT_US = 1000, LONG_US = 10000 };

/* A fork and a join of several threads are as long: less work is none to share. */
enum { FORK_US = 5 };

static const double LOST_AT_BEGIN = 0.2;

/* A share of the duration of all instances of a loop: threads with equal work differ by that. */
static const double LITTLE_SHARE = 0.05;
static const double MAX = 0.5;

/* Of the mean: less is printed as 1.00. */
static const double TIMES_MIN = 1.005;

/* Of the mean: threads with as many iterations, which may well cost the same, differ by it where memory,
 * caches or a core serve one of them worse. */
static const double UNEQUAL_SHARE = 0.2, UNEQUAL_ONCE = 0.35;

/* Chunks of a thread: so many let the last one end soon after the others, and few threads share a line of
 * the cache. */
enum { CHUNKS_EACH = 16 };

/* -- worksharing -- */

/* NULL: another one, see advise_static. */
static const char *loop_advice(const struct report *report, uint32_t region, enum construct construct) {
  if (construct == CONSTRUCT_sections)
    return "cut the sections into pieces of equal length, or into tasks";
  const char *schedule = detail_schedule(&report->trace->regions[region]);
  const struct spread *chunks = &report->regions[region].loop->chunks;
  if (strcmp(schedule, "dynamic") == 0)
    return (chunks->count > 0 && chunks->sum == chunks->count) ||
                   detail_chunk(&report->trace->regions[region]) == 1
               ? "each chunk is one iteration already: begin with the longest ones, or split them"
               : "smaller chunks even out the end of a dynamic schedule";
  if (strcmp(schedule, "guided") == 0)
    return "a smaller chunk size evens out the end of a guided schedule";
  if (*schedule == '\0')
    return "iterations cost differently or threads run unequally fast: if it has a static schedule, which "
           "the "
           "runtime does not report, try schedule(dynamic, CHUNK), else smaller chunks, or tasks";
  return NULL;
}

/* "1.00 times" is no evidence: the gain is of threads that work one after the other. */
static void append_times_mean(char *evidence, double longest, double mean, const char *of) {
  if (longest >= TIMES_MIN * mean && mean > 0)
    finding_append(evidence, ", %.2f times the mean%s", longest / mean, of);
}

static uint32_t busiest(const struct report *report, const uint64_t *by_location) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < report->trace->location_count; i++)
    if (by_location[i] > by_location[most])
      most = i;
  return most;
}

static double mean_of(const struct report *report, const uint64_t *by_location) {
  uint64_t sum = 0, count = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    sum += by_location[i];
    count += by_location[i] > 0;
  }
  return count ? (double)sum / (double)count : 0;
}

/* What the slowest threads of the instances have more than the mean is not what one thread has more in all.
 */
static bool is_rotating(const struct report_loop *loop, double longest, double mean) {
  double all = (double)(loop->longest - loop->imbalance);
  return loop->instances > 1 && all > 0 && mean > 0 &&
         (longest - mean) / mean < (double)loop->imbalance / all / 2;
}

/* Threads that do the same alternate at being slow, or slow for a moment. */
static bool is_slight(const struct report_loop *loop) {
  struct variation_peak peak;
  bool is_little = loop->delay < LITTLE_SHARE * (double)loop->longest;
  return loop->slight > MAX * loop->delay || (is_little && !variation_peak(loop->variation, &peak));
}

/* By little: whether iterations cost differently or threads run unequally fast, a trace does not show. */
static void judge_equal_shares(const struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  double all = (double)(loop->longest - loop->imbalance);
  double most = loop->instances > 1 ? UNEQUAL_SHARE : UNEQUAL_ONCE;
  if (!has_equal_shares(report, region) || loop->delay >= most * all)
    return;
  finding->doubt = "threads have as many iterations each: one may only be slower at them";
  if (finding->uncertainty_ticks < finding->gain_ticks)
    finding->uncertainty_ticks = finding->gain_ticks;
}

/* The threads of one team: inner ones may be several at a time. */
static double team_of(const struct report *report, const struct report_loop *loop) {
  const struct report_parallel *parallel =
      loop->parallel == REPLAY_NONE ? NULL : report->regions[loop->parallel].parallel;
  return parallel && parallel->instances > 0 ? (double)parallel->members / (double)parallel->instances
                                             : finding_threads(report, loop->parallel);
}

static void advise_static(const struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  double chunk = spread_mean(&loop->trips) / team_of(report, loop) / CHUNKS_EACH;
  if (finding->doubt)
    finding_printf(
        finding->advice,
        "if they cost the same, one thread is slower at them: memory that another one has touched first "
        "(initialise it in a loop of the same schedule), a core that it shares (OMP_PROC_BIND=true); else ");
  else
    finding_printf(finding->advice, "iterations cost differently or threads run unequally fast: ");
  if (chunk >= 1)
    finding_append(finding->advice, "try schedule(dynamic, %.0f), or tasks", chunk);
  else
    finding_append(finding->advice, "try schedule(dynamic), or tasks");
}

/* No schedule gives all threads work. Returns whether it is so. */
static bool advise_few(const struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_loop *loop = report->regions[region].loop;
  double trips = spread_mean(&loop->trips), threads = team_of(report, loop);
  if (loop->trips.count == 0 || trips >= threads)
    return false;
  finding_printf(finding->advice,
                 "%.3g iteration%s for %.0f threads: share among them what one does (smaller blocks, "
                 "collapse), or parallelise another loop",
                 trips, plural(trips), threads);
  return true;
}

static void describe_loop(struct report *report, struct report_finding *finding, uint32_t region,
                          enum construct construct) {
  const struct report_loop *loop = report->regions[region].loop;
  struct finding_texts texts = {.report = report};
  uint32_t most = loop->by_location ? busiest(report, loop->by_location) : 0;
  double mean = loop->by_location ? mean_of(report, loop->by_location) : 0;
  double longest = loop->by_location ? (double)loop->by_location[most] : 0;
  const char *name = report->trace->locations[most].name;
  finding->location = longest > 0 ? most : REPLAY_NONE;
  finding_scatter(finding, &loop->delays);
  if (construct == CONSTRUCT_single) {
    finding_printf(finding->what, "the team waits for one thread in %s", finding_label(&texts, region));
    finding_printf(finding->evidence, "encountered %" PRIu64 " time%s, the executing threads needed %s",
                   loop->instances, plural(loop->instances), finding_time(&texts, (double)loop->longest));
    finding_add_peak(&texts, finding, loop->variation);
    return;
  }
  finding->is_slight = is_slight(loop);
  finding_printf(finding->what, "load imbalance in %s", finding_label(&texts, region));
  finding_printf(finding->evidence,
                 "in %" PRIu64 " instance%s the last thread needed %s in all, the mean %s; %s: %s with %s",
                 loop->instances, plural(loop->instances), finding_time(&texts, (double)loop->longest),
                 finding_time(&texts, (double)(loop->longest - loop->imbalance)),
                 is_rotating(loop, longest, mean) ? "it is not always the same one, most" : "most", name,
                 finding_time(&texts, longest));
  append_times_mean(finding->evidence, longest, mean, " of its threads");
  finding_add_peak(&texts, finding, loop->variation);
  judge_equal_shares(report, finding, region);
  const char *advice = loop_advice(report, region, construct);
  if (construct == CONSTRUCT_loop && advise_few(report, finding, region))
    return;
  if (advice)
    finding_printf(finding->advice, "%s", advice);
  else
    advise_static(report, finding, region);
}

/* One finding of a construct that is encountered in several regions: `gain` of another one, or of the first.
 */
static void add_loop(struct report *report, uint32_t region, enum construct construct, double gain) {
  enum report_cause cause = construct == CONSTRUCT_single ? CAUSE_SINGLE : CAUSE_LOOP_IMBALANCE;
  if (finding_enlarge(report, cause, region, gain))
    return;
  struct report_finding *finding = finding_add(report, cause, region, gain);
  if (finding)
    describe_loop(report, finding, region, construct);
}

/* Gives each worksharing construct in the region what its imbalance explains of the waiting there. Returns
 * the rest. */
static double find_loops(struct collector *collector, uint32_t region, double budget, double scale) {
  struct report *report = collector->report;
  const struct report_parallel *parallel = report->regions[region].parallel;
  for (size_t d = 0; d < parallel->delay_count && budget > 0; d++) {
    uint32_t i = parallel->delays[d].loop;
    enum construct construct = construct_of_region(&report->trace->regions[i]);
    if (construct == CONSTRUCT_single && parallel->tasks > 0)
      continue; /* the others run what it creates */
    double gain = parallel->delays[d].ticks * scale;
    gain = gain < budget ? gain : budget;
    budget -= gain;
    if (!doacross_explains(collector, i, &gain))
      add_loop(report, i, construct, gain);
  }
  return budget;
}

/* -- regions -- */

static void describe_barriers(struct finding_texts *texts, char *evidence,
                              const struct report_parallel *parallel) {
  if (parallel->explicit_wait > 0 && parallel->implicit_wait > 0)
    finding_append(evidence, "%s of waiting in explicit barriers, %s in implicit ones",
                   finding_time(texts, (double)parallel->explicit_wait),
                   finding_time(texts, (double)parallel->implicit_wait));
  else
    finding_append(evidence, "%s of waiting in %s barriers",
                   finding_time(texts, (double)(parallel->explicit_wait + parallel->implicit_wait)),
                   parallel->explicit_wait > 0 ? "explicit" : "implicit");
}

static void find_imbalance(struct report *report, uint32_t region, const struct scatter *room, double gain) {
  struct finding_texts texts = {.report = report};
  struct report_finding *finding = finding_add(report, CAUSE_IMBALANCE, region, gain);
  const struct report_parallel *parallel = report->regions[region].parallel;
  if (!finding)
    return;
  uint32_t most = parallel->useful ? busiest(report, parallel->useful) : 0;
  double mean = parallel->useful ? mean_of(report, parallel->useful) : 0;
  double longest = parallel->useful ? (double)parallel->useful[most] : 0;
  finding->location = longest > 0 ? most : REPLAY_NONE;
  finding_scatter(finding, room);
  finding->is_slight = parallel->slight_room > MAX * parallel->room.sum;
  finding_printf(finding->what, "load imbalance in %s", finding_label(&texts, region));
  describe_barriers(&texts, finding->evidence, parallel);
  finding_append(finding->evidence, "; most work: %s with %s", report->trace->locations[most].name,
                 finding_time(&texts, longest));
  append_times_mean(finding->evidence, longest, mean, "");
  finding_add_peak(&texts, finding, parallel->variation);
  if (parallel->explicit_wait > parallel->implicit_wait)
    finding_printf(finding->advice, "balance the work between barriers, or remove barriers");
}

/* As a serial part, but for that the program requests a team; and as much of it as there no other initial
 * thread works. */
static void find_team_of_one(struct report *report, uint32_t region) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  double n = finding_team(report), most = processors_at_most(report, n);
  double share = report->serial > 0 ? report->serial_alone / (double)report->serial : 1;
  double costs = serialised_cost(report, region) * (double)parallel->alone.count;
  double alone = fmax(0, parallel->alone.sum - costs) * share;
  double us = (double)report->trace->clock.ticks_per_second / 1e6;
  bool has_work = alone >= FORK_US * us * (double)parallel->alone.count;
  double gain = has_work ? alone * (1 - 1 / most) : 0;
  struct report_finding *finding = finding_add(report, CAUSE_TEAM_OF_ONE, region, gain);
  if (!finding)
    return;
  finding_scatter(finding, &parallel->alone);
  finding_printf(finding->what, "%s has a team of one of %.0f threads", finding_label(&texts, region), n);
  finding_printf(finding->evidence, "%" PRIu64 " of %" PRIu64 " times, in which no other thread works: %s",
                 parallel->alone.count, parallel->instances, finding_time(&texts, alone));
}

static bool is_too_often(const struct report *report, const struct report_parallel *parallel) {
  double us = (double)report->trace->clock.ticks_per_second / 1e6, mean = spread_mean(&parallel->duration);
  double latest = (double)parallel->latest / (double)parallel->instances;
  /* who begins late may wait for a processor */
  double longest = processors_are_too_few(report, parallel) ? SHORT_US : LONG_US;
  bool is_short = mean < SHORT_US * us || (mean <= longest * us && latest >= LOST_AT_BEGIN * mean);
  return parallel->instances >= OFTEN && is_short;
}

/* Started too often, and the only barrier is the one that ends the region: its cost is part of that. */
static bool has_one_barrier(const struct report *report, const struct report_parallel *parallel) {
  return is_too_often(report, parallel) && parallel->passages <= parallel->members;
}

/* One region instead of many has one barrier: what threads wait by turns in theirs evens out between them,
 * and only what one has more work in all stays. How much of `waited` that is. */
static double evens_out(const struct report *report, const struct report_parallel *parallel, double waited) {
  if (!parallel->useful || parallel->is_nested || report->process_count > 1 ||
      !has_one_barrier(report, parallel))
    return 0;
  double longest = (double)parallel->useful[busiest(report, parallel->useful)];
  double stays = longest - mean_of(report, parallel->useful);
  return waited > stays ? waited - stays : 0;
}

/* Whether the archive has that each thread can have a processor. */
static bool has_enough_processors(const struct report *report, const struct report_parallel *parallel) {
  return report->processors.count > 0 && !processors_are_too_few(report, parallel);
}

static void advise_late_start(const struct report *report, struct report_finding *finding, uint32_t region,
                              bool is_often) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  if (region == report->first_parallel && parallel->instances == 1)
    finding_printf(finding->advice, "it is the first region of the run, which creates the threads: they are "
                                    "there for all later ones, and nothing in it is to change");
  else if (is_often && processors_are_too_few(report, parallel))
    finding_printf(finding->advice,
                   "no more threads than processors (OMP_NUM_THREADS=%" PRIu64
                   "); then one region around several loops, or an if clause for the small ones",
                   report->processors.count);
  else if (is_often && parallel->largest <= 1)
    finding_printf(finding->advice, "it has one thread: no region for work so small (an if clause does not "
                                    "leave it out), or one around several");
  else if (!is_often && has_enough_processors(report, parallel))
    finding_printf(finding->advice, "OMP_PROC_BIND=true, so that no two of them begin on one processor; "
                                    "OMP_WAIT_POLICY=active keeps workers awake in between");
}

/* Time between the fork and the begin of the members: the runtime's own, or that of the system to wake them.
 * What the others wait for the last of them is part of it. Returns what is left of the budget. */
static double find_late_start(struct report *report, uint32_t region, double budget, double members,
                              double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  bool is_often = is_too_often(report, parallel);
  const struct report_serialised *serialised = serialised_often(report, region);
  double alone = serialised ? (double)serialised->begins : 0;
  double own = fmax(0, (double)parallel->late - alone) * scale;
  double waited = (parallel->late_begins - alone) * members * scale - own;
  waited = waited < 0 ? 0 : waited;
  waited += has_one_barrier(report, parallel) ? parallel->late_releases * members * scale : 0;
  waited = waited < budget ? waited : budget;
  waited += evens_out(report, parallel, budget - waited);
  double shared = processors_sharing(report, parallel, finding_threads(report, region));
  struct report_finding *finding =
      finding_add(report, is_often ? CAUSE_FORK_JOIN : CAUSE_LATE_START, region, (own + waited) * shared);
  if (!finding)
    return budget - waited;
  finding_scatter(finding, &parallel->begins);
  finding_printf(finding->what,
                 is_often ? "fork/join overhead: %s is too short" : "late start of threads in %s",
                 finding_label(&texts, region));
  finding_printf(finding->evidence,
                 "%" PRIu64 " time%s, %s each on average; a thread begins %s after the fork on average, "
                 "the last one %s",
                 parallel->instances, plural(parallel->instances),
                 finding_time(&texts, spread_mean(&parallel->duration)),
                 finding_time(&texts, (double)parallel->late / (double)parallel->members),
                 finding_time(&texts, (double)parallel->latest / (double)parallel->instances));
  advise_late_start(report, finding, region, is_often);
  return budget - waited;
}

/* The duration of barriers after the last thread's arrival. Returns the rest of the budget. */
static double find_slow_barriers(struct report *report, uint32_t region, double budget, double members,
                                 double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct finding_texts texts = {.report = report};
  double gain = has_one_barrier(report, parallel) ? 0 : parallel->late_releases * members * scale;
  gain = gain < budget ? gain : budget;
  struct report_finding *finding = finding_add(report, CAUSE_SLOW_BARRIERS, region, gain);
  if (!finding)
    return budget - gain;
  finding_scatter(finding, &parallel->releases);
  finding_printf(finding->what, "slow barrier release in %s", finding_label(&texts, region));
  finding_printf(
      finding->evidence,
      "%s of the %s waited in them are after the last thread had come, %s each time on average",
      finding_time(&texts, (double)parallel->release),
      finding_time(&texts, (double)parallel->activity[ACTIVITY_BARRIER_WAIT]),
      finding_time(&texts, parallel->passages ? (double)parallel->release / (double)parallel->passages : 0));
  finding_printf_waiting(&texts, finding->evidence);
  bool has_inner = parallel->passages > parallel->members; /* the one that ends the region has to be */
  bool is_awake = finding_waiting(report) == FINDING_WAITING_AWAKE;
  finding_printf(finding->advice, "%ssee that %snothing else runs there%s",
                 has_inner ? "fewer barriers inside (nowait); " : "",
                 has_enough_processors(report, parallel) ? ""
                                                         : "there are no more threads than processors and ",
                 is_awake || processors_are_too_few(report, parallel) || finding_is_in_crowd(report)
                     ? ""
                     : "; OMP_WAIT_POLICY=active keeps waiting threads awake");
  return budget - gain;
}

/* In phases without tasks threads wait for one another. Returns what is left of the budget. */
static double find_imbalance_beside_tasks(struct report *report, uint32_t region, double budget,
                                          double scale) {
  const struct scatter *room = &report->regions[region].parallel->taskless;
  double gain = room->sum * scale;
  gain = gain < budget ? gain : budget;
  find_imbalance(report, region, room, gain);
  return budget - gain;
}

static void find_in_tasks(struct report *report, uint32_t region, double budget, double n, double scale) {
  budget = find_imbalance_beside_tasks(report, region, budget, scale);
  findings_of_tasks(report, region, budget, n);
}

/* By its members, not in inner teams. */
static double waited_in(const struct report *report, uint32_t region) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  const struct report_serialised *serialised = serialised_often(report, region);
  double alone = serialised ? (double)serialised->waited : 0;
  return (double)(parallel->activity[ACTIVITY_BARRIER_WAIT] + parallel->activity[ACTIVITY_TASK_WAIT]) -
         (double)parallel->inner_waited - alone;
}

/* From what members wait to wall time: in an inner team, it counts for as many threads as there are (`n`),
 * and for more or less where outer teams wait for those that wait most; at most for all of its own team. */
static double scale_of_waits(const struct report *report, uint32_t region, double members, double n) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  double waited = waited_in(report, region);
  if (waited <= 0 || parallel->outer_waited == 0)
    return 1 / n;
  double scale = 1 / n + parallel->outer_waited / waited;
  return scale < 0 ? 0 : scale > 1 / members ? 1 / members : scale;
}

/* At barriers threads run tasks, too. */
static double of_idle_processors(const struct report *report, uint32_t region, double budget, double scale) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  double idle = parallel->tasks == 0 ? processors_idle(report, parallel) * scale : budget;
  return idle < budget ? idle : budget;
}

static void find_in_region(struct collector *collector, uint32_t region) {
  struct report *report = collector->report;
  const struct report_parallel *parallel = report->regions[region].parallel;
  if (parallel->instances == 0 || parallel->members == 0)
    return;
  serialised_find(report, region);
  find_team_of_one(report, region);
  double members = (double)parallel->members / (double)parallel->instances;
  double n = finding_threads(report, region), shared = processors_sharing(report, parallel, n);
  double scale = scale_of_waits(report, region, members, n);
  double budget = waited_in(report, region) * scale + parallel->moved * members / n -
                  (double)parallel->reduction_wait * scale;
  double bound = processors_bound(report, parallel, n);
  budget = budget < bound ? budget : bound;
  if (budget < FINDING_MIN_SHARE * (double)report->wall) /* also bounds the time spent here */
    budget = 0;
  if (report->has_running && !processors_are_too_few(report, parallel))
    budget = findings_subtract_preempted(report, region, budget, parallel->preempted * members / n);
  else if ((!is_too_often(report, parallel) || processors_are_held(report, parallel)) &&
           findings_subtract_shared(report, region, budget + (double)parallel->late / n, shared))
    return;
  double own = findings_leave_own(report, region, &budget);
  budget = find_slow_barriers(report, region, budget, members, scale);
  budget = own + find_late_start(report, region, budget, members, 1 / n);
  budget = of_idle_processors(report, region, budget, members * scale);
  budget = find_loops(collector, region, budget, members * scale);
  if (parallel->tasks > 0)
    find_in_tasks(report, region, budget, n, members * scale);
  else
    find_imbalance(report, region, &parallel->room, budget);
  reductions_find(report, region, 1 / n);
}

static void find(struct collector *collector) {
  const struct report *report = collector->report;
  for (uint32_t i = 0; i < report->trace->region_count && !report->caveats.lacks_teams; i++)
    if (report->regions[i].parallel)
      find_in_region(collector, i);
}

const struct analyser regions_analyser = {.find = find};
