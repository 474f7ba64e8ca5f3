#include "what_if/clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* -- moments -- */

static void need_times(const struct clocks *clocks, struct clock_moment *moment) {
  if (!moment->times)
    moment->times = memory_get(clocks->count, sizeof *moment->times);
  if (clocks->has_paths && !moment->paths)
    moment->paths = memory_get(clocks->count, sizeof *moment->paths);
}

static void set_path(struct clocks *clocks, struct clock_moment *moment, const struct clock_moment *other,
                     size_t number) {
  if (clocks->has_paths)
    path_copy(&clocks->paths, &moment->paths[number], &other->paths[number]);
}

/* In the scenario it is later by so much, which the row spends there. */
static void extend_path(struct clocks *clocks, struct clock_row *row, size_t number, double ticks) {
  if (clocks->has_paths && ticks >= 0.5)
    path_extend(&clocks->paths, &row->now.paths[number], row->place, (uint64_t)(ticks + 0.5));
}

void clock_set(struct clocks *clocks, struct clock_moment *moment, const struct clock_row *row) {
  need_times(clocks, moment);
  moment->is_known = true;
  moment->ticks = row->now.ticks;
  memcpy(moment->times, row->now.times, clocks->count * sizeof *moment->times);
  for (size_t i = 0; clocks->has_paths && i < clocks->count; i++)
    set_path(clocks, moment, &row->now, i);
}

void clock_raise_to(struct clocks *clocks, struct clock_moment *moment, const struct clock_moment *other) {
  need_times(clocks, moment);
  for (size_t i = 0; i < clocks->count; i++)
    if (!moment->is_known || other->times[i] > moment->times[i]) {
      moment->times[i] = other->times[i];
      set_path(clocks, moment, other, i);
    }
  if (!moment->is_known || other->ticks > moment->ticks)
    moment->ticks = other->ticks;
  moment->is_known = true;
}

void clock_raise(struct clocks *clocks, struct clock_moment *moment, const struct clock_row *row) {
  clock_raise_to(clocks, moment, &row->now);
}

void clock_moment_free(struct clocks *clocks, struct clock_moment *moment) {
  for (size_t i = 0; moment->paths && i < clocks->count; i++)
    path_clear(&clocks->paths, &moment->paths[i]);
  free(moment->times);
  free(moment->paths);
  *moment = (struct clock_moment){0};
}

/* -- work -- */

/* A scenario's change of this kind that means one of these regions; NULL: it has none. */
static const struct what_if_change *clock_change(const struct what_if *scenario, enum what_if_kind kind,
                                                 const struct replay_frame *frames, size_t count) {
  for (size_t i = 0; i < scenario->change_count; i++) {
    const struct what_if_change *change = &scenario->changes[i];
    for (size_t j = 0; change->kind == kind && j < count; j++)
      if (frames[j].region != REPLAY_NONE && change->is_place[frames[j].region])
        return change;
  }
  return NULL;
}

/* How much of it is left. */
static double share_of(const struct what_if *scenario, const struct clock_row *row,
                       const struct replay_frame *frames, size_t count, bool is_serial) {
  const struct what_if_change *change = clock_change(scenario, WHAT_IF_FASTER, frames, count);
  double share = change ? 1 / change->factor : 1;
  for (size_t i = 0; i < scenario->change_count; i++) {
    const struct what_if_change *other = &scenario->changes[i];
    if ((other->kind == WHAT_IF_SERIAL && is_serial) ||
        (other->kind == WHAT_IF_RANK && other->process == row->process))
      share /= other->factor;
  }
  return share;
}

/* Whether it is work that is shared otherwise. */
static bool is_shared(const struct what_if *scenario, const struct replay_frame *frames, size_t count,
                      bool is_serial) {
  for (size_t i = 0; i < scenario->change_count; i++)
    if (scenario->changes[i].kind == WHAT_IF_THREADS && !is_serial)
      return true;
  return clock_change(scenario, WHAT_IF_BALANCE, frames, count) != NULL;
}

static void note_shared(struct clock_row *row, double ticks) {
  row->shared_ticks = row->shared_now == row->place ? row->shared_ticks + ticks : ticks;
  row->shared_now = row->place;
  if (row->shared_ticks > row->shared_most) {
    row->shared_most = row->shared_ticks;
    row->shared = row->place;
  }
}

void clock_work(struct clocks *clocks, struct clock_row *row, const struct replay_frame *frames, size_t count,
                bool is_useful, bool is_serial, uint64_t ticks) {
  bool is_any_shared = false;
  double passed = ticks > row->now.ticks ? (double)(ticks - row->now.ticks) : 0;
  for (size_t i = 0; i < clocks->count; i++) {
    double share = is_useful ? share_of(&clocks->scenarios[i], row, frames, count, is_serial) : 1;
    row->now.times[i] += passed * share;
    extend_path(clocks, row, i, passed * share);
    if (is_useful && is_shared(&clocks->scenarios[i], frames, count, is_serial)) {
      row->useful[i] += passed * share;
      is_any_shared = true;
    }
  }
  if (is_any_shared)
    note_shared(row, passed);
  row->now.ticks = ticks;
  clock_set(clocks, &row->busy, row);
}

/* -- waiting -- */

void clock_resume(struct clocks *clocks, struct clock_row *row, const struct clock_moment *since,
                  const struct clock_moment *cause, uint64_t ticks) {
  bool has_cause = cause && cause->is_known;
  uint64_t could = has_cause && cause->ticks > since->ticks ? cause->ticks : since->ticks;
  double late = ticks > could ? (double)(ticks - could) : 0;
  for (size_t i = 0; i < clocks->count; i++) {
    const struct clock_moment *last = has_cause && cause->times[i] > since->times[i] ? cause : since;
    if (last != &row->now)
      set_path(clocks, &row->now, last, i);
    row->now.times[i] = last->times[i] + late;
    extend_path(clocks, row, i, late);
  }
  row->now.ticks = ticks;
  row->has_resumed = true;
}

void clock_path_shared(struct clocks *clocks, struct clock_row *row, size_t scenario) {
  uint32_t place = row->place;
  if (!row->phase.is_known)
    return;
  set_path(clocks, &row->now, &row->phase, scenario);
  row->place = row->shared;
  extend_path(clocks, row, scenario, row->now.times[scenario] - row->phase.times[scenario]);
  row->place = place;
}

/* -- gains -- */

void clock_gain(struct clocks *clocks, const struct clock_row *row) {
  struct clock_process *process = &clocks->processes[row->process];
  for (size_t i = 0; i < clocks->count; i++) {
    double gain = row->now.times[0] - row->now.times[i];
    scatter_add(&process->gains[i], gain - process->gained[i]);
    process->gained[i] = gain;
  }
}

/* -- what there is one of for each slot -- */

struct clock_team *clock_team(struct clocks *clocks, const struct replay_team *team) {
  array_reserve_zeroed(&clocks->teams, &clocks->team_count, (size_t)team->slot + 1, sizeof *clocks->teams);
  struct clock_team *found = &clocks->teams[team->slot];
  for (int i = 0; i < 2 && found->id != team->id; i++)
    found->rounds[i].last.is_known = found->phases[i].is_used = false;
  found->id = team->id;
  for (int i = 0; i < 2; i++) {
    struct clock_round *round = &found->rounds[i];
    if (!round->begins)
      round->begins = memory_get(3 * clocks->count, sizeof *round->begins);
    round->useful = round->begins + clocks->count;
    round->most = round->begins + 2 * clocks->count;
  }
  return found;
}

struct clock_task *clock_task(struct clocks *clocks, uint64_t id, uint32_t slot) {
  array_reserve_zeroed(&clocks->tasks, &clocks->task_count, (size_t)slot + 1, sizeof *clocks->tasks);
  struct clock_task *found = &clocks->tasks[slot];
  if (found->id != id) {
    found->ready.is_known = found->last_child.is_known = false;
    found->creator = found->sink_count = 0;
    free(found->sinks);
    found->sinks = NULL;
    found->id = id;
  }
  return found;
}

struct clock_moment *clock_lock(struct clocks *clocks, uint64_t lock) {
  struct clock_moment *found = pair_map_get(&clocks->locks, lock, 0);
  if (found)
    return found;
  found = memory_get(1, sizeof *found);
  pair_map_put(&clocks->locks, lock, 0, found);
  return found;
}

/* -- all of them -- */

/* What runs in a barrier at the place is no part of it. */
static bool is_waiting(const struct trace_region *region) {
  enum activity activity;
  return construct_activity(construct_of_region(region), &activity) &&
         (activity == ACTIVITY_BARRIER_WAIT || activity == ACTIVITY_TASK_WAIT);
}

static void find_places(struct what_if_change *change, const struct trace *trace) {
  change->process =
      change->kind == WHAT_IF_RANK ? what_if_rank(trace, strtoul(change->place, NULL, 10)) : SIZE_MAX;
  change->is_place = memory_get(trace->region_count, sizeof *change->is_place);
  for (size_t i = 0; change->place[0] && i < trace->region_count; i++)
    change->is_place[i] =
        !is_waiting(&trace->regions[i]) && what_if_is_place(change->place, trace->regions[i].name);
}

static uint32_t process_of(const struct trace *trace, size_t location) {
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  return group ? (uint32_t)(group - trace->location_groups) : (uint32_t)trace->location_group_count;
}

static void prepare_processes(struct clocks *clocks, size_t count) {
  clocks->processes = memory_get(count, sizeof *clocks->processes);
  for (size_t i = 0; i < count; i++) {
    clocks->processes[i].gains = memory_get(clocks->count, sizeof *clocks->processes[i].gains);
    clocks->processes[i].gained = memory_get(clocks->count, sizeof *clocks->processes[i].gained);
    clocks->processes[i].shorter = memory_get(2 * clocks->count, sizeof *clocks->processes[i].shorter);
    clocks->processes[i].longer = clocks->processes[i].shorter + clocks->count;
  }
}

static void prepare_row(const struct clocks *clocks, struct clock_row *row, size_t location) {
  row->process = process_of(clocks->trace, location);
  row->useful = memory_get(3 * clocks->count, sizeof *row->useful);
  row->counted = row->useful + clocks->count;
  row->member.rests = row->counted + clocks->count;
  row->member.node = SCHEDULE_NONE;
  need_times(clocks, &row->now);
  need_times(clocks, &row->busy);
}

void clocks_prepare(struct clocks *ret, struct trace *trace, struct what_if *scenarios, size_t count,
                    bool has_paths, const struct replay_observer *causes) {
  *ret = (struct clocks){.trace = trace,
                         .scenarios = scenarios,
                         .count = count,
                         .first_ticks = UINT64_MAX,
                         .has_paths = has_paths};
  ret->rows = memory_get(trace->location_count, sizeof *ret->rows);
  ret->before = memory_get(count, sizeof *ret->before);
  ret->replay = replay_create(trace, causes, ret, 0, UINT64_MAX);
  prepare_processes(ret, trace->location_group_count + 1);
  for (size_t i = 0; i < trace->location_count; i++)
    prepare_row(ret, &ret->rows[i], i);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < scenarios[i].change_count; j++) {
      ret->has_threads |= scenarios[i].changes[j].kind == WHAT_IF_THREADS;
      find_places(&scenarios[i].changes[j], trace);
    }
}

static void free_row(struct clocks *clocks, struct clock_row *row) {
  free(row->useful);
  clock_moment_free(clocks, &row->now);
  clock_moment_free(clocks, &row->busy);
  clock_moment_free(clocks, &row->fork);
  clock_moment_free(clocks, &row->call);
  clock_moment_free(clocks, &row->phase);
}

static void free_team(struct clocks *clocks, struct clock_team *team) {
  for (int i = 0; i < 2; i++) {
    clock_moment_free(clocks, &team->rounds[i].last);
    phase_free(&team->phases[i]);
    free(team->rounds[i].begins);
  }
}

static void free_places(struct what_if *scenario) {
  for (size_t i = 0; i < scenario->change_count; i++) {
    free(scenario->changes[i].is_place);
    scenario->changes[i].is_place = NULL;
  }
}

static void free_locks(struct clocks *clocks) {
  for (size_t i = 0; i < clocks->locks.capacity; i++) {
    struct clock_moment *moment = clocks->locks.entries[i].value;
    if (moment)
      clock_moment_free(clocks, moment);
    free(moment);
  }
  pair_map_free(&clocks->locks);
}

static void free_processes(struct clocks *clocks) {
  for (size_t i = 0; i <= clocks->trace->location_group_count; i++) {
    clock_moment_free(clocks, &clocks->processes[i].fork);
    free(clocks->processes[i].gains);
    free(clocks->processes[i].gained);
    free(clocks->processes[i].shorter);
  }
  free(clocks->processes);
}

void clocks_free(struct clocks *clocks) {
  for (size_t i = 0; i < clocks->trace->location_count; i++)
    free_row(clocks, &clocks->rows[i]);
  for (size_t i = 0; i < clocks->team_count; i++)
    free_team(clocks, &clocks->teams[i]);
  for (size_t i = 0; i < clocks->task_count; i++) {
    clock_moment_free(clocks, &clocks->tasks[i].ready);
    clock_moment_free(clocks, &clocks->tasks[i].last_child);
    free(clocks->tasks[i].sinks);
  }
  for (size_t i = 0; i < clocks->count; i++)
    free_places(&clocks->scenarios[i]);
  free_locks(clocks);
  free_processes(clocks);
  replay_free(clocks->replay);
  free(clocks->rows);
  free(clocks->teams);
  free(clocks->tasks);
  free(clocks->before);
  free(clocks->places);
  pair_map_free(&clocks->place_numbers);
  path_store_free(&clocks->paths);
}
