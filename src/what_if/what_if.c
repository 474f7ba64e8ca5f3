/* One pass over the events with the clocks of all scenarios. */
#include "what_if/what_if.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "what_if/clocks.h"

enum { FRAMES_MAX = 64 };

static bool is_working(enum activity activity) {
  return activity != ACTIVITY_BARRIER_WAIT && activity != ACTIVITY_LOCK_WAIT &&
         activity != ACTIVITY_TASK_WAIT && activity != ACTIVITY_IDLE;
}

static void pass_time(struct clocks *clocks, const struct trace_event *event, enum activity activity) {
  struct replay_frame frames[FRAMES_MAX];
  struct clock_row *row = &clocks->rows[event->location];
  if (!row->has_begun) {
    row->has_begun = true;
    row->now.ticks = event->ticks;
    for (size_t i = 0; i < clocks->count; i++)
      row->now.times[i] = (double)(event->ticks - clocks->first_ticks);
  }
  row->has_resumed = false;
  if (!is_working(activity) || event->ticks <= row->now.ticks)
    return;
  size_t count = replay_open_frames(clocks->replay, event->location, frames, FRAMES_MAX);
  clock_work(clocks, row, frames, count, activity_is_useful(activity), activity == ACTIVITY_SERIAL,
             event->ticks);
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
    clock_set(clocks, &clocks->fork, row);
  }
  if (!replay_process(clocks->replay, event))
    clocks->has_failed = true;
  clock_after_event(clocks, event, before);
  return !clocks->has_failed;
}

/* A worker's end is when it has worked last: then it waits for a team that does not come. */
static double last_of(const struct clocks *clocks, size_t scenario) {
  double last = 0;
  for (size_t i = 0; i < clocks->trace->location_count; i++) {
    const struct clock_row *row = &clocks->rows[i];
    const struct clock_moment *end = row->has_had_team ? &row->busy : &row->now;
    if (row->has_begun && (!row->has_had_team || end->is_known))
      last = fmax(last, end->times[scenario]);
  }
  return last;
}

/* Against the run of the trace as its own clocks have it. */
static void conclude(struct clocks *clocks, struct what_if *all, double wall) {
  double same = last_of(clocks, 0), share;
  for (size_t i = 1; i < clocks->count; i++) {
    struct what_if *one = &all[i - 1];
    one->gain_ticks = same - last_of(clocks, i);
    one->wall_ticks = wall - one->gain_ticks;
    one->deviation_ticks = scatter_share(&clocks->gains[i], &share) ? fabs(share * clocks->gains[i].sum) : -1;
  }
}

int what_if_compute(struct trace *trace, struct what_if *all, size_t count, double *ret_wall_ticks,
                    char error[TRACE_ERROR_BYTES]) {
  struct clocks clocks = {0};
  struct what_if *scenarios = calloc(count + 1, sizeof *scenarios);
  int result = -ENOMEM;
  for (size_t i = 0; scenarios && i < count; i++)
    scenarios[i + 1] = all[i];
  if (scenarios && clocks_prepare(&clocks, trace, scenarios, count + 1, &clock_causes))
    result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &clocks, error);
  if (result == 0 && clocks.has_failed)
    result = -ENOMEM;
  if (result == 0) {
    *ret_wall_ticks =
        clocks.last_ticks > clocks.first_ticks ? (double)(clocks.last_ticks - clocks.first_ticks) : 0;
    conclude(&clocks, all, *ret_wall_ticks);
  }
  if (result == -ENOMEM)
    snprintf(error, TRACE_ERROR_BYTES, "out of memory");
  if (clocks.trace)
    clocks_free(&clocks);
  free(scenarios);
  return result;
}
