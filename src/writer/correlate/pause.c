/* omp_control_tool, and pausing: recording stops and goes on while the model follows everything.
 *
 * What was open when the pause began stays open and ends when it ends. What begins in the pause is hidden: a
 * frame, a task, a team or the holding of a lock that is marked so has no event. If it ends in the pause, it
 * leaves no trace; if it is still open at the end of the pause, it is written then, from the outside in. A
 * suspended task is not running anywhere: its frames are written when it goes on. The begins of a team that
 * is written go on being written in a pause, because its communicator names all members.
 *
 * In a pause `shown` is the task that runs on a location as far as was written: switches are written only
 * where an end must be. It is the location's part of its innermost written team, or a task in front of
 * that. */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/pause.h"
#include "writer/correlate/tasks.h"
#include "writer/correlate/teams.h"
#include "writer/correlate/threads.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"
#include "writer/model/model.h"

/* omp_control_tool_t (OpenMP 5.1, 3.14) */

/* The team whose last barrier the primary may have left already while the location, a worker, is told so
 * later, or NULL. What is written there must not be later than that barrier's end, which is known when the
 * team has ended. */
static struct team *ending_team(const struct location *location) {
  const struct task *task = location->current;
  struct team *team = task->is_implicit && !task->is_initial ? task->team : NULL;
  bool is_in_barrier = task->stack.count > 1 && task->stack.frames[1].kind == FRAME_SYNC;
  bool is_ending = team && !team->has_ended && team->end_ticks && location != team->primary &&
                   (is_in_barrier || location->undecided_count);
  return is_ending ? team : NULL;
}

static void emit_measurement(struct correlator *c, struct location *location, uint64_t ticks,
                             OTF2_MeasurementMode mode) {
  struct team *team = ending_team(location);
  undecided_flush(c, location, team);
  emit_event(
      c, location,
      &(struct event){
          .kind = EVENT_MEASUREMENT, .ticks = ticks, .value = mode, .team = team, .is_late = team != NULL});
}

/* -- in the pause -- */

bool pause_hides(const struct task *task, const struct frame *frame) {
  return frame->kind != FRAME_PARALLEL || task->team->is_hidden;
}

void pause_show_now(struct correlator *c, struct location *location, struct task *task, uint64_t ticks) {
  if (location->shown == task)
    return;
  struct event event = task_switch_event(c, location, task, ticks);
  emit_event(c, location, &event);
  location->shown = task;
}

void pause_switch(struct correlator *c, struct location *location, const struct task *next, uint64_t ticks) {
  struct task *implicit = implicit_task_of(location);
  bool is_written = !implicit->team || !implicit->team->is_hidden;
  if (is_written && location->shown != next)
    pause_show_now(c, location, implicit, ticks);
}

bool pause_covers(const struct correlator *c, uint64_t *begin, uint64_t end) {
  if (*begin < c->paused_ticks || *begin >= c->started_ticks)
    return false;
  if (end > c->started_ticks)
    *begin = c->started_ticks;
  return end <= c->started_ticks;
}

/* -- its beginning -- */

/* Streams of devices have no tasks. */
static bool is_thread(const struct location *location) {
  return !location->has_ended && location->device == 0;
}

void pause_on_location(struct correlator *c, struct location *location, uint64_t ticks) {
  emit_measurement(c, location, ticks, OTF2_MEASUREMENT_OFF);
  location->shown = location->current;
}

/* Teams that have been met and of which nothing is written yet. */
static void hide_teams(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->teams, &position));) {
    struct team *team = entry->value;
    team->is_hidden |= !team->is_league && team->begun == 0;
  }
}

void pause_begin(struct correlator *c, uint64_t ticks) {
  size_t count;
  struct location **locations = definitions_locations(c->definitions, &count);
  for (size_t i = 0; i < count; i++) {
    if (is_thread(locations[i]))
      pause_on_location(c, locations[i], location_now(c, locations[i], ticks));
  }
  hide_teams(c);
  c->is_paused = true;
  c->pauses++;
  c->paused_ticks = ticks;
  c->started_ticks = UINT64_MAX;
}

/* -- its end -- */

/* What is open around something that is written stays hidden: that was entered since. */
static size_t first_to_enter(const struct stack *stack) {
  size_t first = stack->count;
  while (first > 0 && stack->frames[first - 1].is_hidden)
    first--;
  return first > 0 ? first - 1 : 0;
}

void pause_enter_hidden(struct correlator *c, struct location *location, struct task *task, uint64_t ticks) {
  for (size_t i = first_to_enter(&task->stack); i < task->stack.count; i++) {
    struct frame *frame = &task->stack.frames[i];
    struct event enter = {.kind = EVENT_ENTER, .ticks = ticks, .id = frame->region};
    if (frame->is_hidden && frame->kind == FRAME_PARALLEL)
      tell_placement(location, &enter);
    if (frame->is_hidden)
      emit_event(c, location, &enter);
    frame->is_hidden = false;
    if (frame->kind == FRAME_MUTEX)
      lock_show(c, location, frame->wait_id, ticks);
  }
}

static bool has_hidden(const struct task *task) {
  const struct stack *stack = &task->stack;
  return stack->count > 0 && stack->frames[stack->count - 1].is_hidden;
}

/* The holding of a mutex can be hidden where its frame is not: that was waited for when the pause began. */
static bool is_top_mutex(const struct task *task) {
  const struct stack *stack = &task->stack;
  return stack->count > 0 && stack->frames[stack->count - 1].kind == FRAME_MUTEX;
}

static void begin_hidden_team(struct correlator *c, struct location *location, struct task *task,
                              uint64_t ticks) {
  struct team *team = task->team;
  if (location == team->primary)
    team_write_fork(c, team, ticks);
  emit_event(c, location, &(struct event){.kind = EVENT_TEAM_BEGIN, .ticks = ticks, .team = team});
  location->shown = task;
}

/* It is part of a team of which nothing is written on the location. */
static bool begins_hidden_team(const struct task *task) {
  return task->stack.count > 0 && task->stack.frames[0].kind == FRAME_PARALLEL &&
         task->stack.frames[0].is_hidden;
}

/* Writes what is hidden of the tasks that run on the location, from the outside in: `inner` is what runs in
 * front of the task, or NULL. False: a task comes that another location has created, which is not written
 * yet. */
static bool show_chain(struct correlator *c, struct location *location, struct task *task,
                       const struct task *inner, uint64_t ticks) {
  if (task != location->base &&
      !show_chain(c, location, task->outer ? task->outer : location->base, task, ticks))
    return false;
  if (task->is_hidden && task->creator_location == location->id)
    task_show(c, location, task, ticks);
  if (task->is_hidden)
    return false;
  if (begins_hidden_team(task))
    begin_hidden_team(c, location, task, ticks);
  else if (!inner || has_hidden(task) || is_top_mutex(task) || begins_hidden_team(inner))
    pause_show_now(c, location, task, ticks);
  pause_enter_hidden(c, location, task, ticks);
  return true;
}

static int by_id(const void *left, const void *right) {
  const struct task *a = *(struct task *const *)left, *b = *(struct task *const *)right;
  return (a->id > b->id) - (a->id < b->id);
}

/* The tasks that were created in the pause and live: `count` of them in the order of their creation; the
 * caller's to free. */
static struct task **hidden_tasks(struct correlator *c, size_t *ret_count) {
  struct task **tasks = memory_get(c->tasks.count, sizeof *tasks);
  size_t count = 0, position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->tasks, &position));)
    if (((struct task *)entry->value)->is_hidden)
      tasks[count++] = entry->value;
  qsort(tasks, count, sizeof *tasks, by_id);
  *ret_count = count;
  return tasks;
}

/* Where they were created. */
static void show_tasks(struct correlator *c, struct location **locations, size_t count, uint64_t ticks) {
  size_t hidden;
  struct task **tasks = hidden_tasks(c, &hidden);
  for (size_t i = 0; i < hidden; i++) {
    struct location *location =
        tasks[i]->creator_location < count ? locations[tasks[i]->creator_location] : NULL;
    if (!location || !location->writer)
      location = c->primary;
    task_show(c, location, tasks[i], location_now(c, location, ticks));
  }
  free(tasks);
}

static void show_teams(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->teams, &position));) {
    struct team *team = entry->value;
    if (team->is_hidden && !team->has_ended)
      team_show(c, team, ticks);
  }
}

static void show_locations(struct correlator *c, struct location **locations, size_t count, uint64_t ticks) {
  for (size_t i = 0; i < count; i++) {
    const struct team *ending = is_thread(locations[i]) ? ending_team(locations[i]) : NULL;
    if (is_thread(locations[i]) && (!ending || ending->is_hidden))
      show_chain(c, locations[i], locations[i]->current, NULL, location_now(c, locations[i], ticks));
  }
}

static void start_location(struct correlator *c, struct location *location, uint64_t ticks) {
  emit_measurement(c, location, ticks, OTF2_MEASUREMENT_ON);
  location->acquire_ticks = location->acquire_ticks ? ticks : 0;
}

/* Tasks are created where their creators have come to, and before anybody else switches to them. */
static void pause_end(struct correlator *c, uint64_t ticks) {
  size_t count;
  struct location **locations = definitions_locations(c->definitions, &count);
  c->is_paused = false;
  c->started_ticks = ticks;
  for (size_t i = 0; i < count; i++)
    if (is_thread(locations[i]))
      start_location(c, locations[i], location_now(c, locations[i], ticks));
  show_locations(c, locations, count, ticks);
  show_tasks(c, locations, count, ticks);
  show_locations(c, locations, count, ticks);
  for (size_t i = 0; i < count; i++)
    if (is_thread(locations[i]))
      locks_show(c, locations[i], location_now(c, locations[i], ticks));
  show_teams(c, ticks);
  devices_show(c, ticks);
}

/* -- omp_control_tool -- */

static void point_control_tool(struct correlator *c, struct location *location,
                               const struct record_control_tool *record, const uint64_t *words,
                               uint64_t now) {
  uint32_t region =
      region_at(c, location, CONSTRUCT_control_tool, record->codeptr, (uint32_t)record->command);
  if (c->is_paused)
    return;
  emit_event(c, location,
             &(struct event){.kind = EVENT_ENTER,
                             .ticks = now,
                             .id = region,
                             .attribute = ATTRIBUTE_command,
                             .value = record->command,
                             .attribute2 = ATTRIBUTE_modifier,
                             .value2 = words[0]});
  emit_event(c, location,
             &(struct event){.kind = EVENT_LEAVE,
                             .ticks = now,
                             .id = region,
                             .attribute = ATTRIBUTE_argument,
                             .value = words[1]});
}

void on_control_tool(struct correlator *c, struct location *location,
                     const struct record_control_tool *record) {
  uint64_t now = location_now(c, location, record->ticks), none[2] = {0};
  if (record->command == OMPT_CONTROL_TOOL_start && c->is_paused && !c->is_over)
    pause_end(c, now);
  point_control_tool(c, location, record, record->more ? c->words : none, now);
  if ((record->command == OMPT_CONTROL_TOOL_pause || record->command == OMPT_CONTROL_TOOL_end) &&
      !c->is_paused)
    pause_begin(c, now);
  c->is_over |= record->command == OMPT_CONTROL_TOOL_end;
}
