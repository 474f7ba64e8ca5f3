/* Locks, and every time that one was acquired, written when it is released. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/values.h"
#include "tables/tabulate.h"
#include "trace/constructs.h"

/* An acquisition that has not been released. */
struct acquired_lock {
  uint64_t lock; /* as the replay names it */
  size_t location;
  uint64_t task, requested_ticks, acquired_ticks;
  uint32_t order, region;
  struct acquired_lock *next_free;
};

/* -- locks -- */

static void write_lock(struct tabulator *tabulator, const struct replay_lock_event *step, uint64_t number) {
  uint32_t process = (uint32_t)(step->lock >> 32);
  uint64_t address;
  ROW(locks);
  locks[COLUMN_locks_id] = tabulate_id(tabulator, TABLE_locks, number);
  locks[COLUMN_locks_run] = tabulate_run(tabulator);
  if (process < tabulator->trace->location_group_count)
    locks[COLUMN_locks_process] = tabulate_id(tabulator, TABLE_processes, process);
  locks[COLUMN_locks_number] = cell_integer((uint32_t)step->lock);
  locks[COLUMN_locks_name] = cell_text(trace_lock_name(tabulator->trace, process, (uint32_t)step->lock));
  if (step->region != REPLAY_NONE)
    locks[COLUMN_locks_kind] = cell_text(construct_name(replay_construct(tabulator->replay, step->region)));
  if (tabulator->event && values_attribute(tabulator->trace, tabulator->event, "lock address", &address))
    locks[COLUMN_locks_address] = cell_number(address);
  row_write(tabulator->writer, TABLE_locks, locks);
}

static struct cell lock_cell(struct tabulator *tabulator, const struct replay_lock_event *step) {
  uint64_t number = (uint64_t)(uintptr_t)pair_map_get(&tabulator->locks, step->lock, 0);
  if (number == 0) {
    number = ++tabulator->lock_count;
    pair_map_put(&tabulator->locks, step->lock, 0, (void *)(uintptr_t)number);
    write_lock(tabulator, step, number);
  }
  return tabulate_id(tabulator, TABLE_locks, number);
}

struct cell tabulate_lock(struct tabulator *tabulator, size_t location, uint64_t number) {
  const struct trace *trace = tabulator->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  uint64_t process = group ? (uint64_t)(group - trace->location_groups) : UINT32_MAX;
  void *known = pair_map_get(&tabulator->locks, process << 32 | (uint32_t)number, 0);
  return tabulate_id_or_null(tabulator, TABLE_locks, (uint64_t)(uintptr_t)known);
}

/* -- acquisitions -- */

static struct acquired_lock *new_hold(struct tabulator *tabulator) {
  struct acquired_lock *hold = tabulator->free_holds;
  if (hold)
    tabulator->free_holds = hold->next_free;
  else
    hold = memory_get(1, sizeof *hold);
  return hold;
}

static void give_back(struct tabulator *tabulator, struct acquired_lock *hold) {
  hold->next_free = tabulator->free_holds;
  tabulator->free_holds = hold;
}

static void write_wait(struct tabulator *tabulator, const struct replay_lock_event *step, struct cell lock) {
  const struct entered *inner = tabulate_innermost(tabulator, step->location);
  const struct replay_team *team = replay_current_team(tabulator->replay, step->location);
  ROW(waits);
  waits[COLUMN_waits_run] = tabulate_run(tabulator);
  waits[COLUMN_waits_thread] = tabulate_id(tabulator, TABLE_threads, step->location);
  waits[COLUMN_waits_kind] = cell_text(activity_name(ACTIVITY_LOCK_WAIT));
  waits[COLUMN_waits_region] = tabulate_name_cell(tabulator, tabulate_name(tabulator, step->region, NULL));
  waits[COLUMN_waits_instance] = tabulate_id_or_null(tabulator, TABLE_regions, inner ? inner->id : 0);
  waits[COLUMN_waits_lock] = lock;
  waits[COLUMN_waits_team] = tabulate_id_or_null(tabulator, TABLE_teams, team ? team->id : 0);
  waits[COLUMN_waits_task] = tabulate_id(tabulator, TABLE_tasks, step->task->id);
  waits[COLUMN_waits_begin_ns] = tabulate_ns(tabulator, step->requested_ticks);
  waits[COLUMN_waits_end_ns] = tabulate_ns(tabulator, step->ticks);
  waits[COLUMN_waits_wait_ns] = tabulate_span(tabulator, step->ticks - step->requested_ticks);
  row_write(tabulator->writer, TABLE_waits, waits);
}

static void acquire(struct tabulator *tabulator, const struct replay_lock_event *step) {
  struct cell lock = lock_cell(tabulator, step);
  if (step->ticks > step->requested_ticks)
    write_wait(tabulator, step, lock);
  struct acquired_lock *hold = pair_map_get(&tabulator->holds, step->lock, step->order);
  if (!hold)
    hold = new_hold(tabulator);
  *hold = (struct acquired_lock){.lock = step->lock,
                                 .location = step->location,
                                 .task = step->task->id,
                                 .requested_ticks = step->requested_ticks,
                                 .acquired_ticks = step->ticks,
                                 .order = step->order,
                                 .region = step->region};
  pair_map_put(&tabulator->holds, step->lock, step->order, hold);
}

/* `release` NULL: it never was. */
static void write_acquisition(struct tabulator *tabulator, struct cell lock, const struct acquired_lock *hold,
                              const struct replay_lock_event *release) {
  ROW(lock_acquisitions);
  lock_acquisitions[COLUMN_lock_acquisitions_run] = tabulate_run(tabulator);
  lock_acquisitions[COLUMN_lock_acquisitions_lock] = lock;
  lock_acquisitions[COLUMN_lock_acquisitions_acquisition] = cell_integer(hold->order);
  if (hold->location != SIZE_MAX) {
    lock_acquisitions[COLUMN_lock_acquisitions_thread] =
        tabulate_id(tabulator, TABLE_threads, hold->location);
    lock_acquisitions[COLUMN_lock_acquisitions_task] = tabulate_id(tabulator, TABLE_tasks, hold->task);
    lock_acquisitions[COLUMN_lock_acquisitions_region] =
        tabulate_name_cell(tabulator, tabulate_name(tabulator, hold->region, NULL));
    lock_acquisitions[COLUMN_lock_acquisitions_wait_begin_ns] = tabulate_ns(tabulator, hold->requested_ticks);
    lock_acquisitions[COLUMN_lock_acquisitions_acquired_ns] = tabulate_ns(tabulator, hold->acquired_ticks);
  }
  if (release) {
    lock_acquisitions[COLUMN_lock_acquisitions_released_ns] = tabulate_ns(tabulator, release->ticks);
    lock_acquisitions[COLUMN_lock_acquisitions_releaser_thread] =
        tabulate_id(tabulator, TABLE_threads, release->location);
  }
  row_write(tabulator->writer, TABLE_lock_acquisitions, lock_acquisitions);
}

/* What the writer added at the end is no release of the program's. */
static bool is_added(const struct tabulator *tabulator) {
  uint64_t value;
  return tabulator->event && tabulator->event->attributes &&
         values_attribute(tabulator->trace, tabulator->event, "added by the writer", &value);
}

static void release(struct tabulator *tabulator, const struct replay_lock_event *step) {
  struct cell lock = lock_cell(tabulator, step);
  struct acquired_lock *hold = pair_map_remove(&tabulator->holds, step->lock, step->order);
  const struct acquired_lock unknown = {.location = SIZE_MAX, .order = step->order};
  write_acquisition(tabulator, lock, hold ? hold : &unknown, is_added(tabulator) ? NULL : step);
  if (hold)
    give_back(tabulator, hold);
}

void tabulate_lock_step(struct tabulator *tabulator, const struct replay_lock_event *step) {
  if (step->step == REPLAY_LOCK_ACQUIRED)
    acquire(tabulator, step);
  else
    release(tabulator, step);
}

void tabulate_locks_finish(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->holds.capacity; i++) {
    const struct acquired_lock *hold = tabulator->holds.entries[i].value;
    if (hold)
      write_acquisition(tabulator,
                        tabulate_id(tabulator, TABLE_locks,
                                    (uint64_t)(uintptr_t)pair_map_get(&tabulator->locks, hold->lock, 0)),
                        hold, NULL);
  }
}

void tabulate_locks_close(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->holds.capacity; i++)
    free(tabulator->holds.entries[i].value);
  pair_map_free(&tabulator->holds);
  pair_map_free(&tabulator->locks);
  while (tabulator->free_holds) {
    struct acquired_lock *hold = tabulator->free_holds;
    tabulator->free_holds = hold->next_free;
    free(hold);
  }
}
