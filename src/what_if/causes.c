/* What a location waits for, and goes on because of: other members of the team, forks, locks, tasks. */
#include <math.h>
#include <string.h>

#include "what_if/clocks.h"

/* -- barriers -- */

static void begin_round(struct clock_round *round, size_t count) {
  round->last.is_known = round->has_tasks = false;
  round->arrivals = 0;
  for (size_t i = 0; i < count; i++) {
    round->begins[i] = -INFINITY;
    round->useful[i] = round->most[i] = 0;
  }
}

/* A member that runs tasks in the barrier comes once more when they are done. */
static void arrive(struct clocks *clocks, struct clock_round *round, struct clock_row *row) {
  clock_raise(clocks, &round->last, row);
  for (size_t i = 0; i < clocks->count; i++) {
    round->begins[i] = fmax(round->begins[i], row->now.times[i] - row->useful[i]);
    round->useful[i] += row->useful[i] - row->counted[i];
    row->counted[i] = row->useful[i];
    round->most[i] = fmax(round->most[i], row->useful[i]);
  }
}

/* With another number of threads, of work of which no more is known, each has so much; who had most still
 * has. */
static double share_of(const struct clock_round *round, const struct what_if *scenario, size_t number,
                       const double *lengths) {
  double threads = clock_phase_threads(scenario);
  if (threads <= 0)
    return round->useful[number] / round->arrivals;
  if (lengths)
    return lengths[number];
  return round->has_tasks ? round->useful[number] / threads : round->most[number] * round->arrivals / threads;
}

static void begin_phase(struct clocks *clocks, struct clock_row *row) {
  row->shared_ticks = row->shared_most = 0;
  if (clocks->has_paths)
    clock_set(clocks, &row->phase, row);
}

/* Where work is balanced, all come when the mean of it is done. */
static void leave(struct clocks *clocks, struct clock_round *round,
                  const struct replay_barrier_event *event) {
  struct clock_row *row = &clocks->rows[event->location];
  const double *lengths = round->arrivals > 0
                              ? clock_phase_lengths(clocks, event->location, event->number, round->arrivals)
                              : NULL;
  uint64_t ticks = event->ticks;
  uint64_t last =
      round->last.is_known && round->last.ticks > row->now.ticks ? round->last.ticks : row->now.ticks;
  double late = ticks > last ? (double)(ticks - last) : 0;
  struct clock_moment since = row->now;
  clock_resume(clocks, row, &since, &round->last, ticks);
  for (size_t i = 0; i < clocks->count; i++)
    if (round->useful[i] > 0 && round->arrivals > 0) {
      double balanced = round->begins[i] + share_of(round, &clocks->scenarios[i], i, lengths);
      row->busy.times[i] = fmin(row->busy.times[i], balanced);
      row->now.times[i] = balanced + late;
      clock_path_shared(clocks, row, i);
    }
  begin_phase(clocks, row);
  memset(row->useful, 0, clocks->count * sizeof *row->useful);
  memset(row->counted, 0, clocks->count * sizeof *row->counted);
  clock_phase_begin(clocks, event->location, event->number + 1);
}

static void on_barrier(void *data, const struct replay_barrier_event *event) {
  struct clocks *clocks = data;
  struct clock_row *row = &clocks->rows[event->location];
  struct clock_team *team = clock_team(clocks, event->team);
  struct clock_round *round = &team->rounds[event->number % 2];
  row->round = event->number;
  row->is_in_barrier = event->step == REPLAY_BARRIER_ARRIVED;
  if (event->step == REPLAY_BARRIER_ARRIVED) {
    if (event->is_first)
      begin_round(round, clocks->count);
    round->arrivals++;
    arrive(clocks, round, row);
    clock_phase_arrive(clocks, event->location);
  } else
    leave(clocks, round, event);
}

/* -- teams -- */

/* A worker waits for the fork since it has worked last, whenever its last barrier let it go. */
static void begin_member(struct clocks *clocks, const struct replay_team_event *event) {
  struct clock_row *row = &clocks->rows[event->location];
  size_t primary = event->team->primary;
  const struct clock_moment *fork =
      primary != SIZE_MAX ? &clocks->rows[primary].fork : &clocks->processes[row->process].fork;
  if (event->location == primary ||
      (primary == SIZE_MAX && row->fork.is_known && row->fork.ticks == fork->ticks))
    return;
  struct clock_moment since = row->has_had_team && row->busy.is_known ? row->busy : *fork;
  row->has_had_team = true;
  if (since.is_known)
    clock_resume(clocks, row, &since, fork, event->ticks);
}

/* A team of one thread need not come to a barrier. */
static void end_alone(struct clocks *clocks, const struct replay_team_event *event) {
  struct clock_row *row = &clocks->rows[event->location];
  if (!clocks->has_threads || event->team->size > 1)
    return;
  clock_phase_arrive(clocks, event->location);
  const double *lengths = clock_phase_lengths(clocks, event->location, row->member.number, 1);
  for (size_t i = 0; lengths && i < clocks->count; i++)
    if (clock_phase_threads(&clocks->scenarios[i]) > 0 && row->useful[i] > 0) {
      row->now.times[i] += lengths[i] - row->useful[i];
      clock_path_shared(clocks, row, i);
    }
}

static void on_team(void *data, const struct replay_team_event *event) {
  struct clocks *clocks = data;
  struct clock_row *row = &clocks->rows[event->location];
  if (event->step == REPLAY_TEAM_BEGIN) {
    begin_member(clocks, event);
    clock_phase_begin(clocks, event->location, 0);
    begin_phase(clocks, row);
    memset(row->useful, 0, clocks->count * sizeof *row->useful);
    memset(row->counted, 0, clocks->count * sizeof *row->counted);
  }
  if (event->step == REPLAY_TEAM_END)
    end_alone(clocks, event);
  if (event->step != REPLAY_TEAM_JOINED || event->team->primary == SIZE_MAX ||
      replay_current_team(clocks->replay, event->team->primary))
    return;
  clocks->processes[row->process].has_team = true;
  clock_gain(clocks, &clocks->rows[event->team->primary]);
}

/* -- locks -- */

static bool is_of_lock(const struct clocks *clocks, const struct what_if_change *change,
                       const struct replay_lock_event *event) {
  const char *variable = trace_lock_name(clocks->trace, (size_t)(event->lock >> 32), (uint32_t)event->lock);
  return (event->region != REPLAY_NONE && change->is_place[event->region]) ||
         (variable && strcmp(variable, change->place) == 0);
}

static void on_lock(void *data, const struct replay_lock_event *event) {
  struct clocks *clocks = data;
  struct clock_row *row = &clocks->rows[event->location];
  struct clock_moment *released = clock_lock(clocks, event->lock);
  if (event->step == REPLAY_LOCK_RELEASED) {
    clock_set(clocks, released, row);
    return;
  }
  bool has_waited = released->is_known && released->ticks > event->requested_ticks;
  struct clock_moment since = row->now;
  memcpy(clocks->before, row->now.times, clocks->count * sizeof *clocks->before);
  clock_resume(clocks, row, &since, has_waited ? released : NULL, event->ticks);
  for (size_t i = 0; has_waited && i < clocks->count; i++)
    for (size_t j = 0; j < clocks->scenarios[i].change_count; j++) {
      const struct what_if_change *change = &clocks->scenarios[i].changes[j];
      if (change->kind == WHAT_IF_NO_LOCK && is_of_lock(clocks, change, event))
        row->now.times[i] = clocks->before[i];
    }
}

/* -- tasks -- */

/* With other threads tasks go elsewhere: what was waited for them is no part of the phase. */
static void resume_for_tasks(struct clocks *clocks, struct clock_row *row, const struct clock_moment *cause,
                             uint64_t ticks) {
  struct clock_moment since = row->now;
  memcpy(clocks->before, row->now.times, clocks->count * sizeof *clocks->before);
  clock_resume(clocks, row, &since, cause, ticks);
  for (size_t i = 0; clocks->has_threads && i < clocks->count; i++)
    if (clock_phase_threads(&clocks->scenarios[i]) > 0)
      row->useful[i] += row->now.times[i] - clocks->before[i];
}

static void complete(struct clocks *clocks, const struct clock_task *task,
                     const struct replay_task_event *event) {
  const struct clock_row *row = &clocks->rows[event->location];
  struct clock_task *creator = task->creator ? clock_task(clocks, task->creator, task->creator_slot) : NULL;
  if (creator)
    clock_raise(clocks, &creator->last_child, row);
  clock_phase_complete(clocks, event, task->creator, task);
  clock_depends_complete(clocks, replay_task_name(event->task), row);
}

static void on_task(void *data, const struct replay_task_event *event) {
  struct clocks *clocks = data;
  struct clock_row *row = &clocks->rows[event->location];
  struct clock_task *task = clock_task(clocks, event->task->id, event->task->slot);
  if (event->step == REPLAY_TASK_CREATED) {
    clock_set(clocks, &task->ready, row);
    task->creator = event->other ? event->other->id : 0;
    task->creator_slot = event->other ? event->other->slot : 0;
    clocks->creator = event->location;
    clock_phase_create(clocks, event);
  } else if (event->step == REPLAY_TASK_STARTED) {
    resume_for_tasks(clocks, row, &task->ready, event->ticks);
  } else if (event->step == REPLAY_TASK_COMPLETED)
    complete(clocks, task, event);
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  struct clocks *clocks = data;
  clock_phase_depend(clocks, clocks->creator, source.id, sink.id);
  clock_on_dependence(data, source, sink, address);
}

const struct replay_observer clock_causes = {.barrier = on_barrier,
                                             .team = on_team,
                                             .lock = on_lock,
                                             .task = on_task,
                                             .dependence = on_dependence,
                                             .with_complete_sources = true};

/* -- the end of other waiting -- */

static bool is_waiting(enum activity activity) {
  return activity == ACTIVITY_BARRIER_WAIT || activity == ACTIVITY_LOCK_WAIT ||
         activity == ACTIVITY_TASK_WAIT || activity == ACTIVITY_IDLE;
}

void clock_after_event(struct clocks *clocks, const struct trace_event *event, enum activity before) {
  struct clock_row *row = &clocks->rows[event->location];
  struct replay_now now = replay_now(clocks->replay, event->location);
  if (is_waiting(before) && !row->has_resumed && !is_waiting(now.activity)) {
    struct clock_task *task =
        before == ACTIVITY_TASK_WAIT ? clock_task(clocks, now.task->id, now.task->slot) : NULL;
    resume_for_tasks(clocks, row, task ? &task->last_child : NULL, event->ticks);
    if (before == ACTIVITY_TASK_WAIT)
      clock_phase_taskwait(clocks, event->location);
  }
  if (!now.task->is_implicit) {
    row->has_run_task = true;
    return;
  }
  struct clock_team *team =
      row->is_in_barrier && row->has_run_task && now.team ? clock_team(clocks, now.team) : NULL;
  if (team) {
    team->rounds[row->round % 2].has_tasks = true;
    arrive(clocks, &team->rounds[row->round % 2], row);
  }
  row->has_run_task = false;
}
