/* The end of the process, however it came: everything open is closed at the process's last timestamp, so that
 * readers find what they would find after an orderly end. Nothing is lost by this; the added events are
 * counted. */
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/closing.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/host_ops.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/tasks.h"
#include "writer/correlate/teams.h"
#include "writer/definitions/definitions.h"
#include "writer/model/model.h"

/* Parents before children, so that every comm can be made. */
static void end_teams_of(struct correlator *c, uint64_t now) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->teams, &position));) {
    struct team *team = entry->value;
    team_begin_primary(c, team, now);
    team->end_ticks = team->has_ended ? team->end_ticks : now;
  }
}

/* A location that was closed already cannot take events: then the primary does. */
static struct location *place_for(struct correlator *c, const struct task *task) {
  return task->location && task->location->writer ? task->location : c->primary;
}

static void leave_suspended(struct correlator *c, struct task *task, uint64_t now) {
  struct location *location = place_for(c, task);
  if (task->forked && !location_has_open(location, task))
    team_join(c, task->forked, now);
  struct task *running = location->current;
  if (location_has_open(location, task))
    return; /* it runs, or waits for a region that it has forked: unwinding comes to it */
  task_switch(c, location, task, now, OMPT_TASK_STATUS_switch);
  frames_leave_above(c, location, task, now, 0);
  location->current = task->outer;
  task_switch(c, location, running, now, OMPT_TASK_STATUS_switch);
}

/* Tasks that have begun and not ended: their regions are left, they do not complete. */
static void leave_tasks(struct correlator *c, uint64_t now) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->tasks, &position));) {
    struct task *task = entry->value;
    if (!task->is_implicit && task->has_started && task->stack.count)
      leave_suspended(c, task, now);
  }
}

static void unwind_explicit(struct correlator *c, struct location *location, struct task *task,
                            uint64_t now) {
  frames_leave_above(c, location, task, now, 0);
  task_switch(c, location, implicit_task_of(location), now, OMPT_TASK_STATUS_switch);
}

static void unwind_implicit(struct correlator *c, struct location *location, struct task *task,
                            uint64_t now) {
  bool is_primary = task->team->primary == location && !task->team->is_league;
  struct team *team = team_keep(task->team);
  implicit_task_end(c, location, task, now, !is_primary);
  if (is_primary)
    team_end(c, team, now);
  team_release(team);
}

void location_unwind(struct correlator *c, struct location *location, uint64_t now) {
  locks_release_all(c, location, now, 0);
  for (;;) {
    struct task *task = location->current;
    if (task->forked)
      team_join(c, task->forked, now);
    else if (task == location->base)
      return;
    else if (task->is_implicit)
      unwind_implicit(c, location, task, now);
    else
      unwind_explicit(c, location, task, now);
  }
}

static void end_location(struct correlator *c, struct location *location, uint64_t now) {
  location_unwind(c, location, now);
  frames_leave_above(c, location, location->base, now, location == c->primary ? 1 : 0);
  c->closed_by_writer += location->owed;
  location->has_ended = true;
}

/* Leave(program) and ProgramEnd are the writer's own in every run: they count as nothing added. */
static void end_program(struct correlator *c, uint64_t now, int64_t exit_status) {
  c->is_closing = false;
  frames_leave_above(c, c->primary, c->primary->base, now, 0);
  emit_event(c, c->primary,
             &(struct event){.kind = EVENT_PROGRAM_END, .ticks = now, .value = (uint64_t)exit_status});
}

static void name_the_nameless(struct correlator *c, struct location *location) {
  char number[16];
  if (location->is_named)
    return;
  if (location->has_begun) {
    definitions_name_worker(c->definitions, location);
    return;
  }
  snprintf(number, sizeof number, "%u", ++c->foreign_threads);
  definitions_name_location(c->definitions, location, "Foreign thread ", number);
}

void correlate_end(struct correlator *c, int64_t exit_status) {
  if (c->has_ended || !c->primary)
    return;
  c->has_ended = true;
  size_t count;
  struct location **locations = definitions_locations(c->definitions, &count);
  uint64_t now = c->last_ticks;
  for (size_t i = 0; i < count; i++) {
    undecided_flush(c, locations[i], NULL);
    locations[i]->acquire_ticks = 0;
  }
  c->is_closing = true;
  end_teams_of(c, now);
  leave_tasks(c, now);
  host_ops_end(c, now);
  locations = definitions_locations(c->definitions, &count); /* devices may have got streams just now */
  for (size_t i = count; i-- > 0;)
    if (locations[i]->writer && !locations[i]->device)
      end_location(c, locations[i], now);
  end_program(c, now, exit_status);
  for (size_t i = 0; i < count; i++) {
    name_the_nameless(c, locations[i]);
    emit_end(c->emitter, locations[i]);
  }
}

static void destroy_task(void *task) {
  free(((struct task *)task)->stack.frames);
  free(task);
}

void correlator_close(struct correlator *c) {
  size_t count, position = 0;
  struct location **locations = definitions_locations(c->definitions, &count);
  for (struct map_entry *entry; (entry = map_next(&c->tasks, &position));)
    if (!((struct task *)entry->value)->is_initial)
      task_free(entry->value);
  for (size_t i = 0; i < count; i++) {
    task_free(locations[i]->base);
    team_release(locations[i]->serial_team);
  }
  locks_free(c);
  devices_free(c);
  map_clear(&c->host_ops);
  map_clear(&c->tasks);
  map_clear(&c->teams);
  pool_close(&c->task_pool, destroy_task);
  free(c->by_slot);
}
