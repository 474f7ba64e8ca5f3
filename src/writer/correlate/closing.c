/* The end of the process, however it came: everything open is closed when the process has died, or at its
 * last timestamp, so that readers find what they would find after an orderly end. Nothing is lost by this;
 * the added events are counted. */
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/closing.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/counters.h"
#include "writer/correlate/device_records.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/gaps.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/host_ops.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/correlate/mpi.h"
#include "writer/correlate/tasks.h"
#include "writer/correlate/teams.h"
#include "writer/definitions/definitions.h"

/* Parents before children, so that every comm can be made. */
static void end_teams_of(struct correlator *c, uint64_t now) {
  size_t position = 0;
  for (struct traced_thread *thread; (thread = thread_next(c, &position));)
    if (thread->location.writer)
      gap_team(c, thread, thread->last_ticks);
  position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->teams, &position));) {
    struct team *team = entry->value;
    team_begin_primary(c, team, now);
    team->end_ticks = team->has_ended ? team->end_ticks : now;
  }
}

/* A thread whose location is closed already cannot have further events: then the primary has them. */
static struct traced_thread *thread_for(struct correlator *c, const struct task *task) {
  return task->thread && task->thread->location.writer ? task->thread : c->primary;
}

static void leave_suspended(struct correlator *c, struct task *task, uint64_t now) {
  struct traced_thread *thread = thread_for(c, task);
  if (task->forked && !thread_has_open(thread, task))
    team_join(c, task->forked, now);
  struct task *running = thread->current;
  if (thread_has_open(thread, task))
    return; /* it runs, or waits for a region that it has forked: unwinding comes to it */
  task_switch(c, thread, task, now, OMPT_TASK_STATUS_switch);
  infer_complete(c, thread, task, now);
  thread->current = task->outer;
  task_switch(c, thread, running, now, OMPT_TASK_STATUS_switch);
}

/* Tasks that have started and not ended: their regions are left, they do not complete. */
static void leave_tasks(struct correlator *c, uint64_t now) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->tasks, &position));) {
    struct task *task = entry->value;
    if (!task->is_implicit && task->has_started && task->stack.count)
      leave_suspended(c, task, now);
  }
}

void tasks_leave_on(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->tasks, &position));) {
    struct task *task = entry->value;
    bool is_left = task->thread == thread && !task->is_implicit && !task->is_untied && task->stack.count;
    if (is_left && !thread_has_open(thread, task))
      leave_suspended(c, task, now);
  }
}

static void unwind_explicit(struct correlator *c, struct traced_thread *thread, struct task *task,
                            uint64_t now) {
  infer_complete(c, thread, task, now);
  task_switch(c, thread, implicit_task_of(thread), now, OMPT_TASK_STATUS_switch);
}

void thread_unwind(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  locks_release_all(c, thread, now, 0);
  for (;;) {
    struct task *task = thread->current;
    if (task->forked)
      team_join(c, task->forked, now);
    else if (task == thread->base)
      return;
    else if (task->is_implicit)
      implicit_task_leave(c, thread, task, now);
    else
      unwind_explicit(c, thread, task, now);
  }
}

static void end_thread(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  thread_unwind(c, thread, now);
  frames_leave_above(c, thread, thread->base, now, thread == c->primary ? 1 : 0);
  c->figures.closed_by_writer += thread->unreported;
  thread->location.has_ended = true;
}

/* A thread of the program's own that was the first to use OpenMP may end long before the program. Until when
 * it was in that: what waits to be written is later than what is known of it. */
static uint64_t end_of_primary(const struct correlator *c, uint64_t now) {
  const struct location *location = &c->primary->location;
  if (!location->gone_ticks || location->held.begin < location->held.end)
    return now;
  uint64_t ticks =
      location->gone_ticks > location->written_ticks ? location->gone_ticks : location->written_ticks;
  return ticks < now ? ticks : now;
}

/* Leave(program) and ProgramEnd are the writer's own in every run: they count as nothing added. */
static void end_program(struct correlator *c, uint64_t now, int64_t exit_status) {
  c->is_closing = false;
  frames_leave_above(c, c->primary, c->primary->base, end_of_primary(c, now), 0);
  emit_event(c, c->primary,
             &(struct event){.kind = EVENT_PROGRAM_END, .ticks = now, .exit_status = exit_status});
}

static void assign_default_names(struct correlator *c, struct location *location) {
  char number[16];
  if (location->facts.is_named)
    return;
  if (location->facts.has_started) {
    definitions_name_worker(c->definitions, location);
    return;
  }
  snprintf(number, sizeof number, "%u", ++c->foreign_threads);
  definitions_name_location(c->definitions, location, "Foreign thread ", number);
}

/* What nothing has followed on a thread. */
static void decide_all(struct correlator *c) {
  size_t position = 0;
  for (struct traced_thread *thread; (thread = thread_next(c, &position));) {
    undecided_flush(c, thread, NULL);
    thread->acquire_ticks = 0;
  }
}

void correlate_end(struct correlator *c, int64_t exit_status) {
  if (c->has_ended || !c->primary)
    return;
  c->has_ended = true;
  size_t count;
  uint64_t now = c->died_ticks > c->last_ticks ? c->died_ticks : c->last_ticks;
  c->last_ticks = now;
  decide_all(c);
  c->is_closing = true;
  end_teams_of(c, now);
  leave_tasks(c, now);
  device_records_end(c);
  host_ops_end(c, now);
  devices_end(c);
  struct location **locations = definitions_locations(c->definitions, &count);
  for (size_t i = count; i-- > 0;)
    if (locations[i]->writer && thread_at(c, i))
      end_thread(c, thread_at(c, i), now);
  end_program(c, now, exit_status);
  for (size_t i = 0; i < count; i++) {
    assign_default_names(c, locations[i]);
    emit_end(c->emitter, locations[i]);
  }
}

static void free_stack(void *task) {
  free(((struct task *)task)->stack.frames);
}

void correlator_close(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->tasks, &position));)
    if (!((struct task *)entry->value)->is_initial)
      task_free(entry->value);
  position = 0;
  for (struct traced_thread *thread; (thread = thread_next(c, &position));) {
    task_free(thread->base);
    team_release(thread->serial_team);
    free(thread->holds);
    free(thread->acquisitions.all);
  }
  counters_free(c);
  locks_free(c);
  devices_free(c);
  mpi_comms_free(c);
  mpi_windows_free(c);
  free(c->mpi.files);
  map_clear(&c->host_ops.by_id);
  map_clear(&c->tasks);
  map_clear(&c->teams);
  pool_free(&c->task_pool, free_stack);
  free(c->by_slot);
}
