/* One pass over the events with the clocks of all scenarios. */
#include "what_if/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "what_if/clocks.h"

enum { FRAMES_MAX = 64 };

static bool is_working(enum activity activity) {
  return activity != ACTIVITY_BARRIER_WAIT && activity != ACTIVITY_LOCK_WAIT &&
         activity != ACTIVITY_TASK_WAIT && activity != ACTIVITY_IDLE;
}

static void pass_time(struct clocks *clocks, const struct trace_event *event, enum activity activity) {
  struct replay_frame frames[FRAMES_MAX];
  struct clock_row *row = &clocks->rows[event->location];
  if (!row->has_started) {
    row->has_started = true;
    row->now.ticks = event->ticks;
    for (size_t i = 0; i < clocks->count; i++)
      row->now.times[i] = (double)(event->ticks - clocks->first_ticks);
  }
  row->has_resumed = false;
  if (!is_working(activity) || event->ticks <= row->now.ticks)
    return;
  size_t count = replay_open_frames(clocks->replay, event->location, frames, FRAMES_MAX);
  row->place = clock_place(clocks, row, frames, count, TRACE_NO_REF);
  memcpy(clocks->before, row->now.times, clocks->count * sizeof *clocks->before);
  clock_work(clocks, row, frames, count, activity_is_useful(activity), activity == ACTIVITY_SERIAL,
             event->ticks);
  if (clocks->has_threads && activity_is_useful(activity) && activity != ACTIVITY_SERIAL)
    clock_phase_work(clocks, event->location, frames, count, clocks->before);
}

static bool on_event(void *data, const struct trace_event *event) {
  struct clocks *clocks = data;
  struct clock_row *row = &clocks->rows[event->location];
  clocks->first_ticks = event->ticks < clocks->first_ticks ? event->ticks : clocks->first_ticks;
  clocks->last_ticks = event->ticks > clocks->last_ticks ? event->ticks : clocks->last_ticks;
  enum activity before = replay_activity(clocks->replay, event->location);
  pass_time(clocks, event, before);
  if (event->kind == TRACE_ThreadFork || event->kind == TRACE_OmpFork) {
    clock_set(clocks, &row->fork, row);
    clock_set(clocks, &clocks->processes[row->process].fork, row);
  }
  if (clocks->mpi)
    clock_calls_event(clocks, event);
  if (clocks->has_threads && event->kind == TRACE_Enter)
    clock_phase_chunk(clocks, event);
  replay_process(clocks->replay, event);
  clock_after_event(clocks, event, before);
  return true;
}

/* A worker's end is when it has worked last: then it waits for a team that does not come. */
static const struct clock_moment *last_of(const struct clocks *clocks, size_t scenario) {
  const struct clock_moment *last = NULL;
  for (size_t i = 0; i < clocks->trace->location_count; i++) {
    const struct clock_row *row = &clocks->rows[i];
    const struct clock_moment *end = row->has_had_team ? &row->busy : &row->now;
    if (row->has_started && (!row->has_had_team || end->is_known) &&
        (!last || end->times[scenario] > last->times[scenario]))
      last = end;
  }
  return last;
}

static double end_of(const struct clocks *clocks, size_t scenario) {
  const struct clock_moment *last = last_of(clocks, scenario);
  return last ? last->times[scenario] : 0;
}

/* That of the process with the most gains; below 0: none shows any. */
static double deviation_of(const struct clocks *clocks, size_t scenario) {
  const struct scatter *most = &clocks->processes[0].gains[scenario];
  double share;
  for (size_t i = 1; i <= clocks->trace->location_group_count; i++)
    if (fabs(clocks->processes[i].gains[scenario].sum) > fabs(most->sum))
      most = &clocks->processes[i].gains[scenario];
  return scatter_share(most, &share) ? fabs(share * most->sum) : -1;
}

/* What of other threads is not known, may make it so much shorter or longer. */
static void find_interval(const struct clocks *clocks, size_t scenario, struct what_if *ret) {
  double shorter = 0, longer = 0;
  for (size_t i = 0; i <= clocks->trace->location_group_count; i++) {
    shorter = fmax(shorter, clocks->processes[i].shorter[scenario]);
    longer = fmax(longer, clocks->processes[i].longer[scenario]);
  }
  ret->has_interval = clock_phase_threads(&clocks->scenarios[scenario]) > 0;
  ret->shortest_ticks = ret->wall_ticks - shorter;
  ret->longest_ticks = ret->wall_ticks + longer;
}

static void find_path(struct clocks *clocks, size_t scenario, struct what_if *ret) {
  const struct clock_moment *last = clocks->has_paths ? last_of(clocks, scenario) : NULL;
  if (last)
    clock_path_of(clocks, &last->paths[scenario], ret);
}

/* Against the run of the trace as its own clocks have it. */
static void conclude(struct clocks *clocks, struct what_if *all, struct what_if *ret_run, double wall) {
  double same = end_of(clocks, 0);
  for (size_t i = 1; i < clocks->count; i++) {
    struct what_if *one = &all[i - 1];
    one->gain_ticks = same - end_of(clocks, i);
    one->wall_ticks = wall - one->gain_ticks;
    one->deviation_ticks = deviation_of(clocks, i);
    find_interval(clocks, i, one);
    find_path(clocks, i, one);
  }
  if (ret_run)
    find_path(clocks, 0, ret_run);
}

/* Calls of MPI have numbers if there are any. */
static int prepare_calls(struct clocks *clocks, struct trace *trace, char *error) {
  static const struct mpi_observer nobody = {0};
  struct mpi_replay *mpi = mpi_create(trace, &nobody, NULL);
  if (!mpi_is_there(mpi)) {
    mpi_free(mpi);
    return 0;
  }
  clocks->mpi = mpi;
  return messages_find(&clocks->messages, trace, error);
}

int what_if_compute(struct trace *trace, struct what_if *all, size_t count, struct what_if *ret_run,
                    double *ret_wall_ticks, char error[TRACE_ERROR_BYTES]) {
  struct clocks clocks;
  struct what_if *scenarios = memory_get(count + 1, sizeof *scenarios);
  for (size_t i = 0; i < count; i++)
    scenarios[i + 1] = all[i];
  clocks_prepare(&clocks, trace, scenarios, count + 1, ret_run != NULL, &clock_causes);
  int result = prepare_calls(&clocks, trace, error);
  if (result == 0)
    result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &clocks, error);
  if (result == 0) {
    *ret_wall_ticks =
        clocks.last_ticks > clocks.first_ticks ? (double)(clocks.last_ticks - clocks.first_ticks) : 0;
    conclude(&clocks, all, ret_run, *ret_wall_ticks);
  }
  clock_calls_free(&clocks);
  clocks_free(&clocks);
  free(scenarios);
  return result;
}
