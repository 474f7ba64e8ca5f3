#include "timeline/tables/critical_path.h"

#include <stdlib.h>

#include "base/array.h"
#include "timeline/tables/shortest.h"

/* A location. */
struct critical_row {
  size_t run;          /* of those compared */
  uint64_t busy_until; /* since when it has not worked */
  uint64_t arrived;    /* if it is in a barrier */
  uint32_t round;      /* which of its team's barriers */
  uint64_t early_team; /* which it began before the primary did; 0: none */
  uint64_t early_ticks, early_since;
  bool is_in_barrier, has_run_task;
};

/* The members that came last to the present barrier and to the one before, which some have not left yet. */
struct critical_team {
  uint64_t id;
  struct happening last[2];
};

/* An explicit or implicit task that has created others, or was created. */
struct critical_task {
  uint64_t id, creator;
  uint32_t creator_slot;
  struct happening last_child; /* of those that are complete; ticks 0: none */
};

bool critical_path_begin(struct critical_path *ret, const struct trace *trace, size_t limit, uint64_t from,
                         uint64_t to) {
  struct sides sides;
  *ret = (struct critical_path){.limit = limit, .from = from, .to = to, .row_count = trace->location_count};
  ret->rows = calloc(trace->location_count + 1, sizeof *ret->rows);
  if (!ret->rows)
    return false;
  sides_find(&sides, trace);
  ret->run_count = sides.count ? sides.count : 1;
  for (size_t i = 0; i < ret->run_count; i++)
    ret->runs[i].first = UINT64_MAX;
  for (size_t i = 0; i < trace->location_count; i++)
    ret->rows[i].run = sides_of_location(&sides, trace, i);
  return true;
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

static void add_link(struct critical_path *path, struct happening from, struct happening to, uint64_t since,
                     enum critical_cause cause) {
  uint64_t waited = to.ticks > since ? to.ticks - since : 0;
  if (from.location == to.location || from.ticks >= to.ticks || to.ticks > path->to ||
      waited < path->shortest)
    return;
  if (path->link_count >= path->limit)
    make_room(path);
  if (!array_reserve(&path->links, &path->link_capacity, path->link_count + 1, sizeof *path->links)) {
    path->is_out_of_memory = true;
    return;
  }
  path->links[path->link_count++] = (struct critical_link){from, to, waited, cause};
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

/* -- barriers -- */

static struct critical_team *team_of(struct critical_path *path, const struct replay_team *team) {
  if (!array_reserve_zeroed(&path->teams, &path->team_count, (size_t)team->slot + 1, sizeof *path->teams)) {
    path->is_out_of_memory = true;
    return NULL;
  }
  struct critical_team *found = &path->teams[team->slot];
  if (found->id != team->id)
    *found = (struct critical_team){.id = team->id};
  return found;
}

static void arrive(struct critical_path *path, const struct replay_team *team, struct happening now) {
  struct critical_row *row = &path->rows[now.location];
  struct critical_team *found = team_of(path, team);
  row->arrived = now.ticks;
  if (found)
    found->last[row->round % 2] = now;
}

/* Who has run a task in the barrier has come to it when that is done. */
static void come_back(struct critical_path *path, const struct replay_team *team, struct happening now) {
  struct critical_row *row = &path->rows[now.location];
  if (row->is_in_barrier && row->has_run_task && team)
    arrive(path, team, now);
  row->has_run_task = false;
}

void critical_path_barrier(struct critical_path *path, const struct replay_barrier_event *event) {
  struct critical_row *row = &path->rows[event->location];
  struct happening now = {event->ticks, event->location};
  const struct critical_team *team = team_of(path, event->team);
  row->round = event->number;
  row->is_in_barrier = event->step == REPLAY_BARRIER_ARRIVED;
  if (row->is_in_barrier)
    arrive(path, event->team, now);
  else if (team && team->last[row->round % 2].ticks > row->arrived)
    add_link(path, team->last[row->round % 2], now, row->arrived, CRITICAL_BARRIER);
}

/* -- tasks -- */

static struct critical_task *task_of(struct critical_path *path, uint64_t id, uint32_t slot) {
  if (!array_reserve_zeroed(&path->tasks, &path->task_count, (size_t)slot + 1, sizeof *path->tasks)) {
    path->is_out_of_memory = true;
    return NULL;
  }
  struct critical_task *found = &path->tasks[slot];
  if (found->id != id)
    *found = (struct critical_task){.id = id};
  return found;
}

static void begin_task(struct critical_path *path, const struct dependence_table *dependences,
                       const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  struct happening cause = {task->created_ticks, task->created_on}, source;
  enum critical_cause kind = CRITICAL_CREATION;
  if (!task->is_created)
    return;
  if (dependence_table_last(dependences, task, &source) && source.ticks > cause.ticks) {
    cause = source;
    kind = CRITICAL_DEPENDENCE;
  }
  uint64_t since = path->rows[event->location].busy_until;
  if (cause.ticks > since) /* otherwise it was there before the thread looked for work */
    add_link(path, cause, (struct happening){event->ticks, event->location}, since, kind);
}

static void complete_task(struct critical_path *path, const struct replay_task_event *event) {
  const struct critical_task *task = task_of(path, event->task->id, event->task->slot);
  struct critical_task *creator =
      task && task->creator ? task_of(path, task->creator, task->creator_slot) : NULL;
  if (creator)
    creator->last_child = (struct happening){event->ticks, event->location};
}

void critical_path_task(struct critical_path *path, const struct dependence_table *dependences,
                        const struct replay_task_event *event) {
  struct critical_task *task =
      event->step == REPLAY_TASK_CREATED ? task_of(path, event->task->id, event->task->slot) : NULL;
  if (task && event->other) {
    task->creator = event->other->id;
    task->creator_slot = event->other->slot;
  }
  if (event->step == REPLAY_TASK_BEGUN)
    begin_task(path, dependences, event);
  if (event->step == REPLAY_TASK_COMPLETED)
    complete_task(path, event);
}

static void end_taskwait(struct critical_path *path, const struct replay_task *task, struct happening now) {
  const struct critical_task *known = task_of(path, task->id, task->slot);
  uint64_t since = path->rows[now.location].busy_until;
  if (known && known->last_child.ticks > since)
    add_link(path, known->last_child, now, since, CRITICAL_TASKS);
}

void critical_path_event(struct critical_path *path, const struct replay *replay,
                         const struct trace_event *event, bool was_waiting) {
  struct happening moment = {event->ticks, event->location};
  struct replay_now now = replay_now(replay, event->location);
  uint64_t *first = &path->runs[path->rows[event->location].run].first;
  *first = event->ticks < *first ? event->ticks : *first;
  if (was_waiting && event->kind == TRACE_Leave && now.activity != ACTIVITY_TASK_WAIT)
    end_taskwait(path, now.task, moment);
  if (now.task->is_implicit)
    come_back(path, now.team, moment);
  else
    path->rows[event->location].has_run_task = true;
}

/* -- locks, teams, MPI -- */

static void acquire(struct critical_path *path, const struct replay_lock_event *event) {
  const struct happening *released = pair_map_get(&path->locks, event->lock, 0);
  if (released && event->wanted_ticks < event->acquired_ticks && released->ticks > event->wanted_ticks)
    add_link(path, *released, (struct happening){event->acquired_ticks, event->location}, event->wanted_ticks,
             CRITICAL_LOCK);
}

void critical_path_lock(struct critical_path *path, const struct replay_lock_event *event) {
  if (event->step == REPLAY_LOCK_ACQUIRED) {
    acquire(path, event);
    return;
  }
  struct happening *released = pair_map_get(&path->locks, event->lock, 0);
  if (!released) {
    released = malloc(sizeof *released);
    if (!released || !pair_map_put(&path->locks, event->lock, 0, released)) {
      free(released);
      path->is_out_of_memory = true;
      return;
    }
  }
  *released = (struct happening){event->ticks, event->location};
}

/* Who has forked is known when that location begins the team. */
static void link_early(struct critical_path *path, const struct replay_team *team) {
  for (size_t i = 0; i < path->row_count && path->early_count; i++) {
    struct critical_row *row = &path->rows[i];
    if (row->early_team != team->id)
      continue;
    add_link(path, (struct happening){team->fork_ticks, team->primary},
             (struct happening){row->early_ticks, i}, row->early_since, CRITICAL_FORK);
    row->early_team = 0;
    path->early_count--;
  }
}

void critical_path_team(struct critical_path *path, const struct replay_team_event *event) {
  const struct replay_team *team = event->team;
  struct critical_row *row = &path->rows[event->location];
  if (event->step != REPLAY_TEAM_BEGIN)
    return;
  if (team->primary == SIZE_MAX) {
    path->early_count += row->early_team == 0;
    row->early_team = team->id;
    row->early_ticks = event->ticks;
    row->early_since = row->busy_until;
    return;
  }
  add_link(path, (struct happening){team->fork_ticks, team->primary},
           (struct happening){event->ticks, event->location}, row->busy_until, CRITICAL_FORK);
  if (event->location == team->primary)
    link_early(path, team);
}

void critical_path_message(struct critical_path *path, const struct mpi_message *message) {
  const struct mpi_end *send = &message->send, *receive = &message->receive;
  if (send->begin_ticks > receive->begin_ticks)
    add_link(path, (struct happening){send->begin_ticks, send->begun.location},
             (struct happening){receive->end_ticks, receive->ended.location}, receive->begin_ticks,
             CRITICAL_MESSAGE);
}

/* As if all waited for the last one, which is so where each needs something of each. */
void critical_path_operation(struct critical_path *path, const struct mpi_operation *operation) {
  const struct mpi_member *last = operation->members;
  for (size_t i = 1; i < operation->member_count; i++)
    if (operation->members[i].begin_ticks > last->begin_ticks)
      last = &operation->members[i];
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    if (member->begin_ticks < last->begin_ticks)
      add_link(path, (struct happening){last->begin_ticks, last->begun.location},
               (struct happening){member->end_ticks, member->ended.location}, member->begin_ticks,
               CRITICAL_COLLECTIVE);
  }
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

/* The last link to a location until a time; NULL: none. Of several at once the one that came last counts. */
static const struct critical_link *last_link(const struct critical_path *path, struct happening until) {
  size_t low = 0, high = path->link_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct happening *to = &path->links[middle].to;
    if (to->location < until.location || (to->location == until.location && to->ticks <= until.ticks))
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && path->links[low - 1].to.location == until.location ? &path->links[low - 1] : NULL;
}

static void add_segment(struct critical_path *path, struct happening begin, uint64_t end,
                        enum critical_cause cause) {
  if (!array_reserve(&path->segments, &path->capacity, path->count + 1, sizeof *path->segments)) {
    path->is_out_of_memory = true;
    return;
  }
  path->segments[path->count++] = (struct critical_segment){begin.location, begin.ticks, end, cause};
}

/* The location of a run that worked last. */
static struct happening last_moment(const struct critical_path *path, size_t run) {
  struct happening last = {0, 0};
  for (size_t i = 0; i < path->row_count; i++)
    if (path->rows[i].run == run && path->rows[i].busy_until > last.ticks)
      last = (struct happening){path->rows[i].busy_until, i};
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
  struct happening now = last_moment(path, run);
  size_t before = path->count;
  uint64_t first = path->runs[run].first, from = first > path->from ? first : path->from;
  while (now.ticks > from && !path->is_out_of_memory) {
    const struct critical_link *link = last_link(path, now);
    if (!link || link->to.ticks <= from) {
      add_segment(path, (struct happening){from, now.location}, now.ticks, CRITICAL_BEGIN);
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
  for (size_t i = 0; i < path->locks.capacity; i++)
    free(path->locks.entries[i].value);
  pair_map_free(&path->locks);
  free(path->links);
  free(path->segments);
  free(path->rows);
  free(path->teams);
  free(path->tasks);
  *path = (struct critical_path){0};
}
