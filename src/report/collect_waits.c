/* Who waited for whom when a run was killed. The writer's last Leave of a thread that wanted a lock says
 * which one; whoever held it last is waited for. Who stood in a barrier waits for the members of its team
 * that did not. Each of these waits ends only if the other one goes on: a circle of them is a deadlock. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/collect.h"

enum { MISSING_MAX = 8 }; /* members that a barrier is told to wait for */

static void add_wait(struct collector *collector, size_t location, const struct report_wait *wait) {
  struct report_final_state *standing = &collector->report->final_states[location];
  struct report_wait *added = array_add(&standing->waits, &standing->wait_count, sizeof *added);
  collector->has_failed |= !added;
  if (added)
    *added = *wait;
}

/* -- barriers -- */

static bool is_in_barrier(const struct collector *collector, size_t location) {
  struct replay_now now = replay_now(collector->replay, location);
  return now.activity == ACTIVITY_BARRIER_WAIT && now.task->is_implicit;
}

void waits_of_barriers(struct collector *collector, size_t location) {
  const struct report *report = collector->report;
  const struct replay_team *team = replay_current_team(collector->replay, location);
  size_t missing = 0;
  if (!team || !is_in_barrier(collector, location))
    return;
  for (size_t i = 0; i < collector->trace->location_count && missing < MISSING_MAX; i++) {
    const struct replay_team *other =
        report->threads[i].is_seen ? replay_current_team(collector->replay, i) : NULL;
    if (i == location || other != team || is_in_barrier(collector, i))
      continue;
    add_wait(collector, location, &(struct report_wait){.location = (uint32_t)i, .region = REPLAY_NONE});
    missing++;
  }
}

/* -- locks -- */

static const struct lock_hold *last_hold(struct collector *collector, size_t location, uint64_t number) {
  const struct trace *trace = collector->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  uint64_t process = group ? (uint32_t)(group - trace->location_groups) : UINT32_MAX;
  uintptr_t slot = (uintptr_t)pair_map_get(&collector->locks, 0, process << 32 | number); /* from 1 */
  const struct lock_history *lock = slot ? pool_item(&collector->lock_pool, (uint32_t)(slot - 1)) : NULL;
  return lock && lock->count ? &lock->holds[(lock->count - 1) % HOLDS] : NULL;
}

void waits_on_leave(struct collector *collector, const struct trace_event *event) {
  const struct report_final_state *standing = &collector->report->final_states[event->location];
  uint64_t number;
  if (standing->activity != ACTIVITY_LOCK_WAIT ||
      !collector_attribute(event, collector->wait_lock_attribute, &number))
    return;
  const struct lock_hold *hold = last_hold(collector, event->location, number);
  if (hold && (hold->released == 0 || hold->released >= event->ticks))
    add_wait(collector, event->location,
             &(struct report_wait){.location = hold->location, .region = hold->region, .is_lock = true});
}

/* -- circles -- */

enum { UNSEEN = 0, ON_WAY, DONE };

/* Where the walk has come from, and which of its waits is next. */
struct step {
  uint32_t location;
  size_t next;
};

/* What lies on the way from the location that is met again. */
static void keep_circle(struct collector *collector, const struct step *way, size_t length, uint32_t again) {
  struct report *report = collector->report;
  size_t first = length;
  while (first > 0 && way[first - 1].location != again)
    first--;
  report->deadlock = collector_get(collector, length * sizeof *report->deadlock);
  for (size_t i = first - 1; report->deadlock && i < length; i++)
    report->deadlock[report->deadlock_count++] = way[i].location;
}

/* Follows the waits, depth first, until they meet themselves. */
static bool walk(struct collector *collector, struct step *way, uint8_t *seen, uint32_t from) {
  size_t length = 1;
  way[0] = (struct step){from, 0};
  seen[from] = ON_WAY;
  while (length > 0) {
    struct step *here = &way[length - 1];
    const struct report_final_state *standing = &collector->report->final_states[here->location];
    if (here->next == standing->wait_count) {
      seen[here->location] = DONE;
      length--;
      continue;
    }
    uint32_t to = standing->waits[here->next++].location;
    if (seen[to] == ON_WAY) {
      keep_circle(collector, way, length, to);
      return true;
    }
    if (seen[to] == UNSEEN) {
      seen[to] = ON_WAY;
      way[length++] = (struct step){to, 0};
    }
  }
  return false;
}

void waits_finish(struct collector *collector) {
  size_t count = collector->trace->location_count;
  if (!collector->report->final_states)
    return;
  struct step *way = collector_get(collector, count * sizeof *way);
  uint8_t *seen = collector_get(collector, count);
  for (uint32_t i = 0; way && seen && i < count; i++)
    if (seen[i] == UNSEEN && walk(collector, way, seen, i))
      break;
  free(way);
  free(seen);
}
