/* omp_control_tool, and pausing: recording stops and goes on while the model follows everything.
 *
 * What was open when the pause began stays open and ends when it ends. What begins in the pause is hidden: a
 * frame, a task, a team or the holding of a lock that is marked so has no event. If it ends in the pause, it
 * leaves no trace; if it is still open at the end of the pause, it is written then, from the outside in. A
 * suspended task is not running anywhere: its frames are written when it goes on. The begins of a team that
 * is written go on being written in a pause, because its communicator names all members.
 *
 * In a pause `written_task` is the task that runs on a thread as far as was written: switches are written
 * only where an end must be. It is the thread's part of its innermost written team, or a task in front of
 * that. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause.h"
#include "writer/correlate/running.h"
#include "writer/correlate/tasks.h"
#include "writer/correlate/teams.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

/* The team whose last barrier the primary may have left already while the thread, a worker, reports that
 * later; or NULL. What is written there must not be later than that barrier's end, which is known when the
 * team has ended. */
static struct team *ending_team(const struct traced_thread *thread) {
  const struct task *task = thread->current;
  struct team *team = task->is_implicit && !task->is_initial ? task->team : NULL;
  bool is_in_barrier = task->stack.count > 1 && task->stack.frames[1].kind == FRAME_SYNC;
  bool is_ending = team && !team->has_ended && team->end_ticks && thread != team->primary &&
                   (is_in_barrier || thread->undecided_count);
  return is_ending ? team : NULL;
}

static void emit_measurement(struct correlator *c, struct traced_thread *thread, uint64_t ticks,
                             OTF2_MeasurementMode mode) {
  struct team *team = ending_team(thread);
  undecided_flush(c, thread, team);
  emit_event(c, thread,
             &(struct event){.kind = EVENT_MEASUREMENT,
                             .ticks = ticks,
                             .measurement = mode,
                             .team = team,
                             .is_late = team != NULL});
}

/* -- its beginning -- */

/* The next one that may have events: as thread_next. */
static struct traced_thread *next_living(struct correlator *c, size_t *position) {
  struct traced_thread *thread = thread_next(c, position);
  while (thread && thread->location.has_ended)
    thread = thread_next(c, position);
  return thread;
}

void pause_on_thread(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  emit_measurement(c, thread, ticks, OTF2_MEASUREMENT_OFF);
  thread->written_task = thread->current;
}

/* Teams that have been encountered and of which nothing is written yet. */
static void hide_teams(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->teams, &position));) {
    struct team *team = entry->value;
    team->is_hidden |= !team->is_league && team->started == 0;
  }
}

/* A worker may have started before its team's primary: after the pause's beginning the fork would come too
 * late. */
static void fork_open_teams(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->teams, &position));) {
    struct team *team = entry->value;
    if (team->is_league || team->is_hidden || team->is_forked || team->has_fork || team->started == 0)
      continue;
    team_write_fork(c, team, team->fork_ticks);
    team->has_fork = true;
  }
}

void pause_begin(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  fork_open_teams(c);
  for (struct traced_thread *thread; (thread = next_living(c, &position));)
    pause_on_thread(c, thread, thread_now(c, thread, ticks));
  hide_teams(c);
  c->is_paused = true;
  c->figures.pauses++;
  c->paused_ticks = ticks;
  c->started_ticks = UINT64_MAX;
}

/* -- its end -- */

static bool has_hidden(const struct task *task) {
  const struct stack *stack = &task->stack;
  return stack->count > 0 && stack->frames[stack->count - 1].is_hidden;
}

/* The holding of a mutex can be hidden where its frame is not: that was waited for when the pause began. */
static bool is_top_mutex(const struct task *task) {
  const struct stack *stack = &task->stack;
  return stack->count > 0 && stack->frames[stack->count - 1].kind == FRAME_MUTEX;
}

static void begin_hidden_team(struct correlator *c, struct traced_thread *thread, struct task *task,
                              uint64_t ticks) {
  struct team *team = task->team;
  if (team->is_partial)
    team_show(c, team, ticks); /* no other thread's: it is not among the teams that are encountered */
  if (thread == team->primary)
    team_write_fork(c, team, ticks);
  emit_event(c, thread, &(struct event){.kind = EVENT_TEAM_BEGIN, .ticks = ticks, .team = team});
  thread->written_task = task;
}

/* It is part of a team of which nothing is written on the thread. */
static bool begins_hidden_team(const struct task *task) {
  return task->stack.count > 0 && task->stack.frames[0].kind == FRAME_PARALLEL &&
         task->stack.frames[0].is_hidden;
}

/* Writes what is hidden of the tasks that run on the thread, from the outside in: `inner` is what runs in
 * front of the task, or NULL. False: a task comes that another thread has created, which is not written
 * yet. */
static bool show_chain(struct correlator *c, struct traced_thread *thread, struct task *task,
                       const struct task *inner, uint64_t ticks) {
  if (task != thread->base && !show_chain(c, thread, task->outer ? task->outer : thread->base, task, ticks))
    return false;
  if (task->is_hidden && task->creator_location == thread->location.id)
    task_show(c, thread, task, ticks);
  if (task->is_hidden)
    return false;
  if (begins_hidden_team(task))
    begin_hidden_team(c, thread, task, ticks);
  else if (!inner || has_hidden(task) || is_top_mutex(task) || begins_hidden_team(inner))
    pause_show_now(c, thread, task, ticks);
  pause_enter_hidden(c, thread, task, ticks);
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
static void show_tasks(struct correlator *c, uint64_t ticks) {
  size_t hidden;
  struct task **tasks = hidden_tasks(c, &hidden);
  for (size_t i = 0; i < hidden; i++) {
    struct traced_thread *thread = thread_at(c, tasks[i]->creator_location);
    if (!thread || !thread->location.writer)
      thread = c->primary;
    task_show(c, thread, tasks[i], thread_now(c, thread, ticks));
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

/* False: as show_chain, of one of them. */
static bool show_threads(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  bool are_shown = true;
  for (struct traced_thread *thread; (thread = next_living(c, &position));) {
    const struct team *ending = ending_team(thread);
    if (!ending || ending->is_hidden)
      are_shown &= show_chain(c, thread, thread->current, NULL, thread_now(c, thread, ticks));
  }
  return are_shown;
}

/* After a pause for which the archive has an Off. */
static void start_threads(struct correlator *c, uint64_t ticks, bool has_off) {
  size_t position = 0;
  for (struct traced_thread *thread; (thread = next_living(c, &position));) {
    uint64_t now = thread_now(c, thread, ticks);
    if (has_off)
      emit_measurement(c, thread, now, OTF2_MEASUREMENT_ON);
    thread->acquire_ticks = thread->acquire_ticks ? now : 0;
  }
}

static void show_locks(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  for (struct traced_thread *thread; (thread = next_living(c, &position));)
    locks_show(c, thread, thread_now(c, thread, ticks));
}

/* Tasks are created where their creators have come to, and before anybody else switches to them: a tick
 * before, since events of one time have no order between threads. */
static void pause_end(struct correlator *c, uint64_t ticks, bool has_off) {
  c->is_paused = false;
  c->started_ticks = ticks;
  start_threads(c, ticks, has_off);
  bool are_shown = show_threads(c, ticks);
  show_tasks(c, ticks);
  if (!are_shown) {
    c->started_ticks = ++ticks;
    show_threads(c, ticks);
  }
  show_locks(c, ticks);
  show_teams(c, ticks);
  devices_show(c, ticks);
}

/* -- STAVE_KEEP -- */

void correlator_hide(struct correlator *c) {
  c->is_hidden = c->is_paused = true;
  c->is_paused_meanwhile = c->starts_paused;
  c->paused_ticks = 0;
}

/* Its events are its first ones: what it has done before is no part of the archive. */
static void show_thread(struct correlator *c, struct traced_thread *thread) {
  thread->written_task = thread->base;
  thread->undecided_count = 0;
  if (thread->location.has_ended)
    emit_end(c->emitter, &thread->location);
}

static void begin_shown_program(struct correlator *c, uint64_t ticks) {
  struct traced_thread *primary = c->primary;
  uint64_t now = thread_now(c, primary, ticks);
  emit_event(c, primary,
             &(struct event){.kind = EVENT_PROGRAM_BEGIN,
                             .ticks = now,
                             .program = definitions_string(c->definitions, regions_program(c->regions))});
  emit_enter(c, primary, now, primary->base->stack.frames[0].region);
  primary->base->stack.frames[0].is_hidden = false;
}

static void show_running(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  for (struct traced_thread *thread; (thread = next_living(c, &position));)
    running_show(c, thread, ticks);
}

void correlator_show(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  c->is_hidden = false;
  c->records = 0;
  memset(c->records_by_type, 0, sizeof c->records_by_type);
  c->first_ticks = ticks;
  for (struct traced_thread *thread; (thread = thread_next(c, &position));)
    show_thread(c, thread);
  if (c->primary)
    begin_shown_program(c, ticks);
  if (!c->is_paused_meanwhile) {
    pause_end(c, ticks, false);
    show_running(c, ticks);
    return;
  }
  c->paused_ticks = ticks;
  position = 0;
  for (struct traced_thread *thread; (thread = next_living(c, &position));)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_MEASUREMENT,
                               .ticks = thread_now(c, thread, ticks),
                               .measurement = OTF2_MEASUREMENT_OFF});
}

/* -- omp_control_tool -- */

/* The program's own pauses, in one that it knows nothing of. */
static void note_hidden_control(struct correlator *c, uint64_t command) {
  if (command == OMPT_CONTROL_TOOL_start)
    c->is_paused_meanwhile = false;
  else if (command == OMPT_CONTROL_TOOL_pause || command == OMPT_CONTROL_TOOL_end)
    c->is_paused_meanwhile = true;
}

static void point_control_tool(struct correlator *c, struct traced_thread *thread,
                               const struct record_control_tool *record, const uint64_t *words,
                               uint64_t now) {
  uint32_t region = region_at(c, thread, CONSTRUCT_control_tool, record->codeptr, (uint32_t)record->command);
  if (c->is_paused)
    return;
  emit_event(c, thread,
             &(struct event){.kind = EVENT_ENTER,
                             .ticks = now,
                             .region = region,
                             .attribute = ATTRIBUTE_command,
                             .value = record->command,
                             .attribute2 = ATTRIBUTE_modifier,
                             .value2 = words[0]});
  emit_event(c, thread,
             &(struct event){.kind = EVENT_LEAVE,
                             .ticks = now,
                             .region = region,
                             .attribute = ATTRIBUTE_argument,
                             .value = words[1]});
}

void on_control_tool(struct correlator *c, struct traced_thread *thread,
                     const struct record_control_tool *record) {
  uint64_t now = thread_now(c, thread, record->ticks), none[2] = {0};
  if (c->is_hidden) {
    note_hidden_control(c, record->command);
    return;
  }
  if (record->command == OMPT_CONTROL_TOOL_start && c->is_paused && !c->is_over) {
    pause_end(c, now, true);
    now = thread_now(c, thread, now);
  }
  point_control_tool(c, thread, record, record->more ? c->words : none, now);
  if ((record->command == OMPT_CONTROL_TOOL_pause || record->command == OMPT_CONTROL_TOOL_end) &&
      !c->is_paused)
    pause_begin(c, now);
  c->is_over |= record->command == OMPT_CONTROL_TOOL_end;
}
