#include "replay/critical_path.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/shortest.h"

/* A location. */
struct critical_row {
  size_t run;          /* of those compared */
  uint64_t busy_until; /* since when it has not worked */
};

void critical_path_begin(struct critical_path *ret, const struct trace *trace, size_t limit, uint64_t from,
                         uint64_t to) {
  struct sides sides;
  *ret = (struct critical_path){.limit = limit, .from = from, .to = to, .row_count = trace->location_count};
  ret->rows = memory_get(trace->location_count, sizeof *ret->rows);
  sides_find(&sides, trace);
  ret->run_count = sides.count ? sides.count : 1;
  for (size_t i = 0; i < ret->run_count; i++)
    ret->runs[i].first = UINT64_MAX;
  for (size_t i = 0; i < trace->location_count; i++)
    ret->rows[i].run = sides_of_location(&sides, trace, i);
}

/* -- links -- */

/* Leaves out the shorter waits until at least half of the room is free. */
static void make_room(struct critical_path *path) {
  while (path->link_count > path->limit / 2 && path->shortest < UINT64_MAX) {
    size_t kept = 0;
    path->shortest = shortest_next(path->shortest);
    for (size_t i = 0; i < path->link_count; i++)
      if (path->links[i].waited >= path->shortest)
        path->links[kept++] = path->links[i];
    path->link_count = kept;
  }
}

void critical_path_link(struct critical_path *path, const struct replay_link *link) {
  const struct replay_moment *from = &link->from, *to = &link->to;
  uint64_t waited = to->ticks > link->since_ticks ? to->ticks - link->since_ticks : 0;
  if (!link->has_waited || from->location == to->location || from->ticks >= to->ticks ||
      to->ticks > path->to || waited < path->shortest)
    return;
  if (path->link_count >= path->limit)
    make_room(path);
  array_reserve(&path->links, &path->link_capacity, path->link_count + 1, sizeof *path->links);
  path->links[path->link_count++] = (struct critical_link){*from, *to, waited, link->kind};
}

/* -- locations -- */

static bool is_busy(enum activity activity) {
  return activity != ACTIVITY_BARRIER_WAIT && activity != ACTIVITY_LOCK_WAIT &&
         activity != ACTIVITY_TASK_WAIT && activity != ACTIVITY_IDLE && activity != ACTIVITY_MPI;
}

void critical_path_interval(struct critical_path *path, const struct replay_interval *interval) {
  if (is_busy(interval->activity))
    path->rows[interval->location].busy_until = interval->end_ticks;
}

void critical_path_event(struct critical_path *path, const struct trace_event *event) {
  uint64_t *first = &path->runs[path->rows[event->location].run].first;
  *first = event->ticks < *first ? event->ticks : *first;
}

/* -- the walk -- */

static int by_place(const void *one, const void *other) {
  const struct critical_link *first = one, *second = other;
  if (first->to.location != second->to.location)
    return first->to.location < second->to.location ? -1 : 1;
  if (first->to.ticks != second->to.ticks)
    return first->to.ticks < second->to.ticks ? -1 : 1;
  return first->from.ticks < second->from.ticks ? -1 : first->from.ticks > second->from.ticks;
}

/* The last link to a location until a time; NULL: none. Of several at the same time the one that came last
 * counts. */
static const struct critical_link *last_link(const struct critical_path *path, struct replay_moment until) {
  size_t low = 0, high = path->link_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct replay_moment *to = &path->links[middle].to;
    if (to->location < until.location || (to->location == until.location && to->ticks <= until.ticks))
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && path->links[low - 1].to.location == until.location ? &path->links[low - 1] : NULL;
}

static void add_segment(struct critical_path *path, struct replay_moment begin, uint64_t end,
                        enum replay_link_kind cause) {
  array_reserve(&path->segments, &path->capacity, path->count + 1, sizeof *path->segments);
  path->segments[path->count++] = (struct critical_segment){begin.location, begin.ticks, end, cause};
}

/* The location of a run that worked last. */
static struct replay_moment last_moment(const struct critical_path *path, size_t run) {
  struct replay_moment last = {0, 0};
  for (size_t i = 0; i < path->row_count; i++)
    if (path->rows[i].run == run && path->rows[i].busy_until > last.ticks)
      last = (struct replay_moment){path->rows[i].busy_until, i};
  return last;
}

static void reverse(struct critical_segment *segments, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    struct critical_segment segment = segments[i];
    segments[i] = segments[count - 1 - i];
    segments[count - 1 - i] = segment;
  }
}

static void walk(struct critical_path *path, size_t run) {
  struct replay_moment now = last_moment(path, run);
  size_t before = path->count;
  uint64_t first = path->runs[run].first, from = first > path->from ? first : path->from;
  while (now.ticks > from) {
    const struct critical_link *link = last_link(path, now);
    if (!link || link->to.ticks <= from) {
      add_segment(path, (struct replay_moment){from, now.location}, now.ticks, REPLAY_LINK_NONE);
      break;
    }
    add_segment(path, link->to, now.ticks, link->cause);
    now = link->from; /* which is earlier: this ends */
  }
  path->runs[run].count = path->count - before;
  if (path->count > before)
    reverse(path->segments + before, path->count - before);
}

void critical_path_finish(struct critical_path *path) {
  if (path->link_count)
    qsort(path->links, path->link_count, sizeof *path->links, by_place);
  for (size_t run = 0; run < path->run_count; run++)
    walk(path, run);
}

void critical_path_free(struct critical_path *path) {
  free(path->links);
  free(path->segments);
  free(path->rows);
  *path = (struct critical_path){0};
}
