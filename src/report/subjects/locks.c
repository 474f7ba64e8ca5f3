/* Locks and critical sections: who waits, who holds, who is to blame. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/finding.h"
#include "report/subjects/locks.h"
#include "report/subjects/reductions.h"
#include "trace/constructs.h"

enum { HOLDS = 32 };

/* A lock that was ever acquired. */
struct lock_history {
  struct lock_hold holds[HOLDS]; /* the last ones, a ring */
  uint64_t count;
  uint64_t address; /* 0: not known yet */
  struct path released;
};

struct locks {
  struct pool histories;
  struct pair_map slots;         /* of histories, by the lock's number, from 1 */
  struct pair_map objects;       /* by the construct that acquires and the lock's number */
  struct pair_map object_blamed; /* by the object and the holder */
  struct pair_map blamed;        /* by the construct that waits and the holder */
};

static struct locks *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, locks);
}

static void prepare(struct collector *collector) {
  state_of(collector)->histories.item_bytes = sizeof(struct lock_history);
}

/* NULL: it was never acquired. */
static struct lock_history *history_of(const struct locks *locks, uint64_t number) {
  uintptr_t slot = (uintptr_t)pair_map_get(&locks->slots, 0, number);
  return slot ? pool_item(&locks->histories, (uint32_t)(slot - 1)) : NULL;
}

static const struct lock_hold *last_hold(const struct lock_history *lock) {
  return lock && lock->count ? &lock->holds[(lock->count - 1) % HOLDS] : NULL;
}

const struct lock_hold *locks_last_hold(const struct collector *collector, uint64_t lock) {
  return last_hold(history_of(state_of(collector), lock));
}

void locks_each_held(struct collector *collector,
                     void (*on_hold)(struct collector *collector, const struct lock_hold *hold)) {
  const struct locks *locks = state_of(collector);
  for (size_t i = 0; i < locks->slots.capacity; i++) {
    uintptr_t slot = (uintptr_t)locks->slots.entries[i].value;
    const struct lock_hold *hold =
        slot ? last_hold(pool_item(&locks->histories, (uint32_t)(slot - 1))) : NULL;
    if (hold && !hold->released)
      on_hold(collector, hold);
  }
}

static struct lock_history *lock_at(struct collector *collector, uint64_t number) {
  struct locks *locks = state_of(collector);
  struct lock_history *known = history_of(locks, number);
  if (known)
    return known;
  uint32_t fresh;
  struct lock_history *history = pool_new(&locks->histories, &fresh);
  pair_map_put(&locks->slots, 0, number, (void *)((uintptr_t)fresh + 1));
  return history;
}

/* -- blame -- */

/* One who made those wait that requested a lock in `waiting`. */
struct blamed {
  uint32_t waiting;
  struct report_blame blame;
};

static void blame(struct collector *collector, uint32_t waiting, const struct lock_hold *hold,
                  uint64_t ticks) {
  uint64_t key = (uint64_t)waiting << 32 | hold->region;
  struct blamed *one = pair_map_get(&state_of(collector)->blamed, key, hold->location);
  if (!one) {
    one = memory_get(1, sizeof *one);
    *one = (struct blamed){waiting, {hold->region, hold->location, 0}};
    pair_map_put(&state_of(collector)->blamed, key, hold->location, one);
  }
  one->blame.ticks += ticks;
}

/* -- the locks of one construct -- */

/* One lock as a construct acquires it. */
struct lock_object {
  uint32_t region;
  struct report_lock_object counted;
};

static struct lock_object *object_of(struct collector *collector, uint32_t region, uint64_t lock) {
  struct lock_object *object = pair_map_get(&state_of(collector)->objects, region, lock);
  if (object || region == REPLAY_NONE)
    return object;
  object = memory_get(1, sizeof *object);
  *object = (struct lock_object){region, {.lock = lock}};
  pair_map_put(&state_of(collector)->objects, region, lock, object);
  return object;
}

static void blame_for(struct collector *collector, struct lock_object *object, const struct lock_hold *hold,
                      uint64_t ticks) {
  uint64_t holder = (uint64_t)hold->region << 32 | hold->location;
  struct report_blame *one = pair_map_get(&state_of(collector)->object_blamed, (uintptr_t)object, holder);
  if (!one) {
    one = memory_get(1, sizeof *one);
    *one = (struct report_blame){hold->region, hold->location, 0};
    pair_map_put(&state_of(collector)->object_blamed, (uintptr_t)object, holder, one);
  }
  one->ticks += ticks;
  if (one->ticks > object->counted.holder.ticks)
    object->counted.holder = *one;
}

/* Those waited for longest, in order; of equals the one with the longer acquisitions, then the smaller
 * number. */
static bool is_before(const struct report_lock_object *left, const struct report_lock_object *right) {
  if (right->acquisitions == 0)
    return true;
  if (left->waited != right->waited)
    return left->waited > right->waited;
  return left->wait.sum != right->wait.sum ? left->wait.sum > right->wait.sum : left->lock < right->lock;
}

static void keep_object(struct report_mutex *mutex, const struct report_lock_object *object) {
  struct report_lock_object *kept = mutex->objects;
  int i = REPORT_LOCK_OBJECTS - 1;
  mutex->locks++;
  for (; i >= 0 && is_before(object, &kept[i]); i--)
    if (i + 1 < REPORT_LOCK_OBJECTS)
      kept[i + 1] = kept[i];
  if (i + 1 < REPORT_LOCK_OBJECTS)
    kept[i + 1] = *object;
}

static void keep_objects(struct collector *collector) {
  for (size_t i = 0; i < state_of(collector)->objects.capacity; i++) {
    const struct lock_object *one = state_of(collector)->objects.entries[i].value;
    struct report_mutex *mutex = one ? collector_mutex(collector, one->region) : NULL;
    if (mutex && one->counted.acquisitions > 0)
      keep_object(mutex, &one->counted);
  }
}

/* -- finish -- */

/* Keeps the greatest, in order. */
static void keep_greatest(struct report_mutex *mutex, const struct report_blame *blame) {
  int i = REPORT_BLAMED - 1;
  mutex->blamed_ticks += blame->ticks;
  if (blame->ticks <= mutex->blamed[i].ticks)
    return;
  for (; i > 0 && mutex->blamed[i - 1].ticks < blame->ticks; i--)
    mutex->blamed[i] = mutex->blamed[i - 1];
  mutex->blamed[i] = *blame;
}

static void finish(struct collector *collector) {
  keep_objects(collector);
  for (size_t i = 0; i < state_of(collector)->blamed.capacity; i++) {
    const struct blamed *one = state_of(collector)->blamed.entries[i].value;
    struct report_mutex *mutex = one ? collector_mutex(collector, one->waiting) : NULL;
    if (mutex)
      keep_greatest(mutex, &one->blame);
  }
}

/* What of the wait a hold overlaps. One whose release is not known yet ended, in truth, when the next
 * began. */
static uint64_t overlap(const struct lock_hold *hold, uint64_t requested, uint64_t acquired) {
  uint64_t begin = hold->acquired > requested ? hold->acquired : requested;
  uint64_t end = hold->released && hold->released < acquired ? hold->released : acquired;
  return end > begin ? end - begin : 0;
}

static bool find_holders(struct collector *collector, const struct lock_history *lock,
                         struct lock_object *object, uint64_t requested, uint64_t acquired) {
  bool is_contended = false;
  uint64_t oldest = lock->count > HOLDS ? lock->count - HOLDS : 0;
  for (uint64_t i = lock->count; i-- > oldest;) {
    const struct lock_hold *hold = &lock->holds[i % HOLDS];
    uint64_t ticks = overlap(hold, requested, acquired);
    if (ticks == 0)
      break;
    is_contended = true;
    blame(collector, object->region, hold, ticks);
    blame_for(collector, object, hold, ticks);
    acquired = hold->acquired > requested ? hold->acquired : requested;
  }
  return is_contended;
}

/* -- events -- */

bool locks_is_members(const struct collector *collector, const struct replay_lock_event *event) {
  bool is_member = collector->adds_posts || collector->locations[event->location].member_count > 0;
  return event->task->is_implicit && is_member;
}

/* Whose time it was: a member's, or that of a task that any thread of the team could have run. */
static void assign_wait(struct collector *collector, const struct replay_lock_event *event,
                        struct report_mutex *mutex) {
  uint64_t ticks = collector_cut(collector, event->ticks) - collector_cut(collector, event->requested_ticks);
  if (!locks_is_members(collector, event))
    mutex->outside += ticks;
  else if (!collector->adds_posts)
    phases_add_wait(collector, event, ticks);
}

static void count_object(struct report_lock_object *object, const struct lock_history *lock, uint64_t wait,
                         bool is_contended) {
  object->contended += is_contended;
  object->waited += is_contended ? wait : 0;
  object->acquisitions++;
  object->address = lock->address;
  spread_add(&object->wait, wait);
}

/* For an ordered region threads wait for those that have not come to it. */
static bool is_turn(const struct collector *collector, uint32_t region) {
  return region != REPLAY_NONE && collector->interests[region].construct == CONSTRUCT_ordered;
}

/* The time of acquiring while nobody has the lock is no waiting for it: the lock itself costs that, callbacks
 * do, or the thread had no processor. */
static void count_wait(struct collector *collector, const struct replay_lock_event *event,
                       const struct lock_history *lock, struct report_mutex *mutex) {
  uint64_t wait = event->ticks - event->requested_ticks;
  struct lock_object *object = object_of(collector, event->region, event->lock);
  bool is_contended = object && find_holders(collector, lock, object, event->requested_ticks, event->ticks);
  bool has_waited = is_contended || is_turn(collector, event->region);
  mutex->has_several_locks |= mutex->acquisitions > 0 && mutex->lock != event->lock;
  mutex->lock = event->lock;
  mutex->acquisitions++;
  mutex->contended += is_contended;
  if (wait > mutex->wait.max)
    mutex->longest_location = (uint32_t)event->location;
  spread_add(&mutex->wait, wait);
  scatter_add(&mutex->waits, has_waited ? (double)wait : 0);
  if (has_waited)
    spread_add(&mutex->waited, wait);
  if (has_waited && wait > 0 && event->region != REPLAY_NONE)
    assign_wait(collector, event, mutex);
  if (object)
    count_object(&object->counted, lock, wait, is_contended);
}

static bool had_to_wait(const struct lock_history *lock, uint64_t requested) {
  const struct lock_hold *last = last_hold(lock);
  return last && (last->released == 0 || last->released > requested);
}

static void acquired(struct collector *collector, const struct replay_lock_event *event,
                     struct lock_history *lock) {
  struct report_mutex *mutex = collector_mutex(collector, event->region);
  struct live_task *live_task = live_task_of(collector, event->task);
  bool has_waited = had_to_wait(lock, event->requested_ticks);
  if (mutex && collector_is_inside(collector, event->ticks))
    count_wait(collector, event, lock, mutex);
  if (live_task && has_waited)
    path_join(&collector->paths, &live_task->path, &lock->released);
  lock->holds[lock->count++ % HOLDS] = (struct lock_hold){.acquired = event->ticks,
                                                          .task = event->task->id,
                                                          .task_slot = event->task->slot,
                                                          .region = event->region,
                                                          .location = (uint32_t)event->location,
                                                          .order = event->order,
                                                          .has_waited = has_waited};
}

/* A release can be stamped as late as the next acquisition, or later: who waited for it goes on from here. */
static void release_hold(struct collector *collector, const struct replay_lock_event *event,
                         struct lock_history *lock, const struct live_task *live_task) {
  uint64_t oldest = lock->count > HOLDS ? lock->count - HOLDS : 0, i = lock->count;
  while (i-- > oldest) {
    struct lock_hold *hold = &lock->holds[i % HOLDS];
    if (hold->order != event->order || hold->released != 0)
      continue;
    hold->released = event->ticks;
    const struct lock_hold *next = i + 1 < lock->count ? &lock->holds[(i + 1) % HOLDS] : NULL;
    struct live_task *waiter =
        next && next->has_waited ? live_task_at(collector, next->task_slot, next->task) : NULL;
    if (waiter && live_task)
      path_join(&collector->paths, &waiter->path, &live_task->path);
    return;
  }
}

static void released(struct collector *collector, const struct replay_lock_event *event,
                     struct lock_history *lock) {
  struct report_mutex *mutex = collector_mutex(collector, event->region);
  struct live_task *live_task = live_task_of(collector, event->task);
  release_hold(collector, event, lock, live_task);
  if (mutex && collector_is_inside(collector, event->ticks)) {
    struct lock_object *object = object_of(collector, event->region, event->lock);
    spread_add(&mutex->hold, event->ticks - event->acquired_ticks);
    if (object)
      spread_add(&object->counted.hold, event->ticks - event->acquired_ticks);
  }
  if (live_task)
    path_join(&collector->paths, &lock->released, &live_task->path);
}

static void on_lock(struct collector *collector, const struct replay_lock_event *event) {
  struct lock_history *lock = lock_at(collector, event->lock);
  if (!lock)
    return;
  if (collector->posting)
    collector->posting->lock(collector, event);
  lock->address = event->address ? event->address : lock->address;
  if (event->step == REPLAY_LOCK_ACQUIRED)
    acquired(collector, event, lock);
  else
    released(collector, event, lock);
}

/* -- for those who read -- */

const char *report_lock_name(const struct report *report, const struct report_mutex *mutex) {
  return mutex->has_several_locks
             ? NULL
             : trace_lock_name(report->trace, (size_t)(mutex->lock >> 32), (uint32_t)mutex->lock);
}

const char *report_object_name(const struct report *report, const struct report_lock_object *object) {
  return trace_lock_name(report->trace, (size_t)(object->lock >> 32), (uint32_t)object->lock);
}

const char *report_object_text(char text[REPORT_OBJECT_BYTES], const struct report *report,
                               const struct report_lock_object *object) {
  const char *name = report_object_name(report, object);
  if (name)
    snprintf(text, REPORT_OBJECT_BYTES, "%.*s", REPORT_OBJECT_BYTES - 1, name);
  else if (object->address)
    snprintf(text, REPORT_OBJECT_BYTES, "the lock at 0x%" PRIx64, object->address);
  else
    snprintf(text, REPORT_OBJECT_BYTES, "lock %" PRIu32, (uint32_t)object->lock);
  return text;
}

/* -- findings -- */

/* A reduction that the runtime has no operation for (a user-defined one) is a critical section to it, in the
 * line of the construct that has the clause: no program has a critical there. REPLAY_NONE: it is none. */
static uint32_t reducing_construct(const struct report *report, uint32_t region) {
  bool is_critical = construct_of_region(&report->trace->regions[region]) == CONSTRUCT_critical;
  return is_critical ? reductions_construct(report, region) : REPLAY_NONE;
}

static const char *lock_advice(const struct report *report, const struct report_finding *finding) {
  uint32_t region = finding->region;
  if (finding->cause == CAUSE_REDUCTION)
    return "reduce less often, or less data: threads add all elements one after the other";
  if (construct_of_region(&report->trace->regions[region]) == CONSTRUCT_ordered)
    return "keep only what needs the order in the ordered region; schedule(static, 1) or (dynamic, 1), since "
           "with longer chunks a thread waits until all iterations before its own are done";
  return "hold it for less time, use several locks for independent data, an atomic or a reduction";
}

/* Each thread once in each instance of its region, as a reduction is. Compilers leave its line where the
 * construct ends, so that only the source shows it. */
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
  return mutex->locks > 1 && 2 * mutex->objects[0].waited > mutex->waited.sum;
}

/* The first ones, as long as what they are waited for matters beside the first. */
static void name_objects(const struct report *report, struct finding_texts *texts, char *evidence,
                         const struct report_mutex *mutex) {
  char text[REPORT_OBJECT_BYTES];
  finding_append(evidence, "; of %" PRIu64 " locks", mutex->locks);
  for (int i = 0; i < REPORT_LOCK_OBJECTS && 10 * mutex->objects[i].waited > mutex->waited.sum; i++)
    finding_append(evidence, "%s %s %s", i ? "," : "", report_object_text(text, report, &mutex->objects[i]),
                   finding_time(texts, (double)mutex->objects[i].waited));
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
      mutex->contended, mutex->acquisitions, finding_time(&texts, (double)mutex->waited.sum),
      finding_time(&texts, (double)mutex->waited.max), finding_time(&texts, spread_mean(&mutex->hold)),
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

double locks_gain(const struct report *report, const struct report_mutex *mutex) {
  return mutex->gain * weight_of(report, mutex->parallel) + (double)mutex->outside / finding_team(report);
}

/* -- critical sections of one name -- */

static bool is_one_lock(const struct report *report, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  return mutex && !mutex->has_several_locks && mutex->acquisitions > 0 &&
         construct_of_region(&report->trace->regions[region]) == CONSTRUCT_critical;
}

/* Finds for each lock the region that holds it for longest. */
static void find_longest(const struct report *report, struct pair_map *longest) {
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_mutex *mutex = report->regions[i].mutex;
    if (!is_one_lock(report, i))
      continue;
    const struct report_mutex *best = pair_map_get(longest, 0, mutex->lock);
    if (!best || mutex->hold.sum > best->hold.sum)
      pair_map_put(longest, 0, mutex->lock, report->regions[i].mutex);
  }
}

/* Who waits for such a section waits in any of them, and not only where it has to be shorter: there is one
 * finding, where the lock is held for longest. */
static void gather(struct report *report, const struct pair_map *longest) {
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    struct report_mutex *mutex = report->regions[i].mutex;
    struct report_mutex *best = is_one_lock(report, i) ? pair_map_get(longest, 0, mutex->lock) : NULL;
    if (!best || best == mutex || mutex->contended == 0)
      continue;
    double gain = locks_gain(report, mutex);
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
  find_longest(report, &longest);
  gather(report, &longest);
  pair_map_free(&longest);
}

/* -- all of them -- */

static void find_lock(struct report *report, uint32_t region) {
  const struct report_mutex *mutex = report->regions[region].mutex;
  struct report_finding *finding = NULL;
  if (!mutex->is_elsewhere && (mutex->contended > 0 || mutex->gain_elsewhere > 0))
    finding = finding_add(report, CAUSE_LOCK, region, locks_gain(report, mutex) + mutex->gain_elsewhere);
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

static void find(struct collector *collector) {
  struct report *report = collector->report;
  gather_criticals(report);
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].mutex)
      find_lock(report, i);
}

static void free_items(struct pair_map *map) {
  for (size_t i = 0; i < map->capacity; i++)
    free(map->entries[i].value);
  pair_map_free(map);
}

static void release(struct collector *collector) {
  free_items(&state_of(collector)->blamed);
  free_items(&state_of(collector)->objects);
  free_items(&state_of(collector)->object_blamed);
  pair_map_free(&state_of(collector)->slots);
  pool_free(&state_of(collector)->histories, NULL);
}

const struct analyser locks_analyser = {.state_bytes = sizeof(struct locks),
                                        .prepare = prepare,
                                        .on_lock = on_lock,
                                        .finish = finish,
                                        .find = find,
                                        .release = release};
