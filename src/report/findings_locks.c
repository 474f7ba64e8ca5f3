/* What waiting for locks costs. */
#include <inttypes.h>

#include "analysis/constructs.h"
#include "base/pair_map.h"
#include "report/finding.h"

/* A reduction that the runtime has no operation for (a user-defined one) is a critical section to it, in the
 * line of the construct that has the clause: no program has a critical there. REPLAY_NONE: it is none. */
static uint32_t reducing_construct(const struct report *report, uint32_t region) {
  bool is_critical = construct_of_region(&report->trace->regions[region]) == CONSTRUCT_critical;
  return is_critical ? finding_reducing_construct(report, region) : REPLAY_NONE;
}

static const char *lock_advice(const struct report *report, const struct report_finding *finding) {
  uint32_t region = finding->region;
  if (finding->cause == CAUSE_REDUCTION)
    return "reduce less often, or less data: the threads take turns, each with its whole part";
  if (construct_of_region(&report->trace->regions[region]) == CONSTRUCT_ordered)
    return "keep only what needs the order in the ordered region; schedule(static, 1) or (dynamic, 1), since "
           "with longer chunks a thread waits until all iterations before its own are done";
  return "hold it for less time, use several locks for independent data, an atomic or a reduction";
}

/* Each thread once in each instance of its region, as a reduction is. Compilers leave its line where the
 * construct ends, so that only who knows the source can say. */
static bool may_be_reduction(const struct report *report, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  enum construct construct = construct_of_region(&report->trace->regions[region]);
  const struct report_parallel *parallel =
      mutex->parallel == REPLAY_NONE ? NULL : report->regions[mutex->parallel].parallel;
  return (construct == CONSTRUCT_critical || construct == CONSTRUCT_atomic) && parallel &&
         mutex->acquisitions == parallel->members;
}

/* Of several locks most of the waiting is for one. */
static bool is_hot(const struct report_mutex *mutex) {
  return mutex->locks > 1 && 2 * mutex->objects[0].wait.sum > mutex->wait.sum;
}

/* The first ones, as long as what they are waited for matters beside the first. */
static void name_objects(const struct report *report, struct finding_texts *texts, char *evidence,
                         const struct report_mutex *mutex) {
  char text[REPORT_OBJECT_BYTES];
  finding_append(evidence, "; of %" PRIu64 " locks", mutex->locks);
  for (int i = 0; i < REPORT_LOCK_OBJECTS && 10 * mutex->objects[i].wait.sum > mutex->wait.sum; i++)
    finding_append(evidence, "%s %s %s", i ? "," : "", report_object_text(text, report, &mutex->objects[i]),
                   finding_time(texts, (double)mutex->objects[i].wait.sum));
}

static void describe_queue(const struct report *report, const struct report_mutex *mutex,
                           struct report_finding *finding, const char *where) {
  const char *name = report_lock_name(report, mutex);
  char object[REPORT_OBJECT_BYTES];
  bool is_ordered = construct_of_region(&report->trace->regions[finding->region]) == CONSTRUCT_ordered;
  if (finding->cause == CAUSE_REDUCTION)
    finding_printf(finding->what, "contention in the reduction of %s", where);
  else if (is_ordered)
    finding_printf(finding->what, "threads wait for their turn in %s", where);
  else if (name)
    finding_printf(finding->what, "lock contention: %s, the lock of %s", name, where);
  else if (is_hot(mutex))
    finding_printf(finding->what, "lock contention: %s, a lock of %s",
                   report_object_text(object, report, &mutex->objects[0]), where);
  else
    finding_printf(finding->what, "lock contention at %s", where);
}

static void describe_lock(struct report *report, struct report_finding *finding, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  const struct report_blame *holder = &mutex->blamed[0];
  struct finding_texts texts = {.report = report};
  finding->location = holder->ticks > 0 ? holder->location : REPLAY_NONE;
  bool is_ordered = construct_of_region(&report->trace->regions[region]) == CONSTRUCT_ordered;
  describe_queue(report, mutex, finding, finding_label(&texts, finding->region));
  finding_printf(
      finding->evidence,
      "%" PRIu64 " of %" PRIu64 " acquisitions had to wait, %s in all, %s at most; held %s on average; "
      "the holder waited for most was %s in %s (%s)",
      mutex->contended, mutex->acquisitions, finding_time(&texts, (double)mutex->wait.sum),
      finding_time(&texts, (double)mutex->wait.max), finding_time(&texts, spread_mean(&mutex->hold)),
      holder->location < report->trace->location_count ? report->trace->locations[holder->location].name
                                                       : "unknown",
      finding_label(&texts, holder->region), finding_time(&texts, (double)holder->ticks));
  if (mutex->locks > 1 && !is_ordered)
    name_objects(report, &texts, finding->evidence, mutex);
  if (mutex->moved >= FINDING_MIN_SHARE * (double)report->wall)
    finding_append(
        finding->evidence,
        "; another %s is not saved without the lock: those who queue would wait at the next barrier for "
        "the thread that has most to do",
        finding_time(&texts, mutex->moved));
  if (mutex->gain_elsewhere > 0)
    finding_append(finding->evidence, "; another %s of waiting for it in %s",
                   finding_time(&texts, mutex->gain_elsewhere), finding_label(&texts, mutex->elsewhere));
  finding_printf(finding->advice, "%s; only the holding part of %s cannot overlap",
                 lock_advice(report, finding), finding_time(&texts, (double)mutex->hold.sum));
  if (finding->cause != CAUSE_REDUCTION && may_be_reduction(report, region))
    finding_append(finding->advice,
                   "; if the source has no %s here, it is a reduction with an operation of "
                   "the program's own: reduce less often, or less data",
                   construct_of_region(&report->trace->regions[region]) == CONSTRUCT_atomic ? "atomic"
                                                                                            : "critical");
}

/* What a region's time counts in the run's: less where its team is one of several. */
static double weight_of(const struct report *report, uint32_t region) {
  const struct report_parallel *parallel = region == REPLAY_NONE ? NULL : report->regions[region].parallel;
  if (!parallel || !parallel->is_nested || parallel->instances == 0)
    return 1;
  return (double)parallel->members / (double)parallel->instances / finding_threads(report, region);
}

static double gain_of(const struct report *report, const struct report_mutex *mutex) {
  return mutex->gain * weight_of(report, mutex->parallel) + (double)mutex->outside / finding_team(report);
}

/* -- critical sections of one name -- */

static bool is_one_lock(const struct report *report, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  return mutex && !mutex->has_several_locks && mutex->acquisitions > 0 &&
         construct_of_region(&report->trace->regions[region]) == CONSTRUCT_critical;
}

/* Finds for each lock the region that holds it for longest. Returns false without memory. */
static bool find_longest(const struct report *report, struct pair_map *longest) {
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_mutex *mutex = report->regions[i].mutex;
    if (!is_one_lock(report, i))
      continue;
    const struct report_mutex *best = pair_map_get(longest, 0, mutex->lock);
    if ((!best || mutex->hold.sum > best->hold.sum) &&
        !pair_map_put(longest, 0, mutex->lock, report->regions[i].mutex))
      return false;
  }
  return true;
}

/* Who waits for such a section waits in any of them, and not only where it has to be shorter: there is one
 * finding, where the lock is held for longest. */
static void gather(struct report *report, const struct pair_map *longest) {
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    struct report_mutex *mutex = report->regions[i].mutex;
    struct report_mutex *best = is_one_lock(report, i) ? pair_map_get(longest, 0, mutex->lock) : NULL;
    if (!best || best == mutex || mutex->contended == 0)
      continue;
    double gain = gain_of(report, mutex);
    mutex->is_elsewhere = true;
    best->gain_elsewhere += gain;
    best->moved += mutex->moved;
    mutex->moved = 0;
    if (gain < best->most_elsewhere)
      continue;
    best->most_elsewhere = gain;
    best->elsewhere = i;
  }
}

static void gather_criticals(struct report *report) {
  struct pair_map longest = {0};
  if (find_longest(report, &longest))
    gather(report, &longest);
  else
    report->has_lost_findings = true;
  pair_map_free(&longest);
}

/* -- all of them -- */

static void find_lock(struct report *report, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  struct report_finding *finding = NULL;
  if (!mutex->is_elsewhere && (mutex->contended > 0 || mutex->gain_elsewhere > 0))
    finding = finding_add(report, CAUSE_LOCK, region, gain_of(report, mutex) + mutex->gain_elsewhere);
  uint32_t reducing = finding ? reducing_construct(report, region) : REPLAY_NONE;
  if (reducing != REPLAY_NONE) {
    finding->cause = CAUSE_REDUCTION;
    finding->region = reducing;
  }
  if (finding)
    finding_scatter(finding, mutex->gains.count < 2 || mutex->outside > 0 ? &mutex->waits : &mutex->gains);
  if (finding)
    describe_lock(report, finding, region);
  struct report_parallel *parallel =
      mutex->parallel == REPLAY_NONE ? NULL : report->regions[mutex->parallel].parallel;
  if (parallel)
    parallel->moved += (finding ? 0 : mutex->moved) - mutex->of_barrier;
}

void findings_of_locks(struct report *report) {
  gather_criticals(report);
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].mutex)
      find_lock(report, i);
}
