/* Parallel regions, their teams and implicit tasks.
 *
 * The runtime's parallel_data is NULL or another thread's in many end events, so an end is matched by the
 * thread's own stack (thread->current, task->forked). Workers report the ends of their last barrier and
 * implicit task only when they are needed again, perhaps at shutdown: when the primary ends the region,
 * team_end ends it for them, and what they state later is ignored. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/model.h"
#include "writer/correlate/placement.h"
#include "writer/correlate/plain_teams.h"
#include "writer/correlate/positions.h"
#include "writer/correlate/tasks.h"
#include "writer/correlate/teams.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

enum { MEMBERS_MAX = 1 << 14, FEW_MEMBERS = 64 };

/* -- communicators -- */

static void resolve(struct correlator *c, struct team *team);

static void resolve_children(struct correlator *c, struct team *team) {
  struct team *child = team->children;
  team->children = NULL;
  while (child) {
    struct team *next = child->sibling;
    child->waits_for_parent = false;
    resolve(c, child);
    team_release(child);
    child = next;
  }
}

/* Ranks count the members that have started: one that never did is left out. */
static uint32_t comm_of_members(struct correlator *c, struct team *team) {
  uint32_t few[FEW_MEMBERS], *many = team->size > FEW_MEMBERS ? memory_get(team->size, sizeof *many) : NULL;
  uint32_t *ids = many ? many : few, count = 0;
  for (size_t i = 0; i < team->size; i++) {
    team->members[i].rank = count;
    if (team->members[i].thread)
      ids[count++] = team->members[i].thread->location.id;
  }
  uint32_t comm =
      definitions_comm(c->definitions, ids, count, team->parent ? team->parent->comm : COMM_UNKNOWN, false);
  free(many);
  return comm;
}

/* The members are final: gives the team its comm, or leaves that to the parent that has none itself yet.
 * Returns whether it has one now: then resolve_waiting. */
static bool get_comm(struct correlator *c, struct team *team) {
  if (team->comm != COMM_UNKNOWN || team->waits_for_parent || team->is_hidden)
    return false;
  if (team->parent && team->parent->comm == COMM_UNKNOWN) {
    team->waits_for_parent = true;
    team->sibling = team->parent->children;
    team->parent->children = team_keep(team);
    return false;
  }
  team->comm = comm_of_members(c, team);
  return true;
}

static void resolve_waiting(struct correlator *c, struct team *team) {
  emit_waiters_of(c->emitter, team);
  resolve_children(c, team);
}

static void resolve(struct correlator *c, struct team *team) {
  if (get_comm(c, team))
    resolve_waiting(c, team);
}

/* -- the region on its encountering thread -- */

/* A league is no team, but it may be in one: on a hidden helper that does the work of a device. */
static struct team *enclosing_team(const struct traced_thread *thread) {
  const struct task *task = thread->current;
  while (task && (!task->is_implicit || task->is_initial))
    task = task->outer;
  return task ? task->team : NULL;
}

static struct team *team_new(struct correlator *c, struct traced_thread *thread, uint64_t id,
                             uint64_t codeptr, uint32_t flags) {
  struct team *team = team_get(c->emitter), *around = implicit_task_of(thread)->team;
  team->id = id;
  team->comm = COMM_UNKNOWN;
  team->is_hidden = c->is_paused;
  team->parent = team_keep(enclosing_team(thread));
  team->codeptr = codeptr;
  if (regions_is_nowhere(c->regions, codeptr) && (around || !regions_is_in_runtime(c->regions, codeptr)))
    team->codeptr = around ? around->codeptr : 0;
  team->region = regions_get_in(c->regions, CONSTRUCT_parallel, team->codeptr, flags, code_around(thread));
  if (id)
    map_put(&c->teams, id, team);
  return team;
}

static struct team *fork_team(struct correlator *c, struct traced_thread *thread, uint64_t id,
                              uint64_t codeptr, uint32_t flags, uint64_t now) {
  if (thread->current->forked)
    team_join(c, thread->current->forked, now); /* its end is missing */
  struct team *team = team_new(c, thread, id, codeptr, flags);
  team->primary = thread;
  team->encountering = thread->current;
  position_note(team, thread);
  team->fork_ticks = now;
  return thread->current->forked = team;
}

static void add_callers(const struct team *team, struct event *event) {
  if (team->callers == 0)
    return;
  event->attribute = ATTRIBUTE_calling_context;
  event->value = team->callers - 1;
}

static void begin_league(struct correlator *c, struct traced_thread *thread, struct team *team,
                         uint64_t now) {
  team->is_league = true;
  team->is_hidden = false; /* it has no events of its own */
  team->comm = 0;          /* never written: nobody waits for it */
  struct event enter = {.ticks = now};
  add_callers(team, &enter);
  frame_enter_with(c, thread, thread->current,
                   (struct frame){.kind = FRAME_TEAMS,
                                  .region = regions_get(c->regions, CONSTRUCT_teams, team->codeptr, 0)},
                   &enter);
}

/* The calling context of the construct plus one: it and the addresses after its record, as far as they are
 * known. 0: it is not requested, or nothing is known. */
static uint32_t callers_of(struct correlator *c, const struct record_parallel_begin *record) {
  uint32_t context = CONTEXT_NONE;
  if (!(record->flags & PARALLEL_FLAG_CALLERS))
    return 0;
  for (unsigned i = 4u * record->more; i-- > 0;)
    if (c->words[i])
      context = contexts_code(c->contexts, context, c->words[i], false);
  if (record->codeptr)
    context = contexts_code(c->contexts, context, record->codeptr, false);
  return context == CONTEXT_NONE ? 0 : context + 1;
}

void on_parallel_begin(struct correlator *c, struct traced_thread *thread,
                       const struct record_parallel_begin *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct team *team =
      fork_team(c, thread, c->record_id, record->codeptr, (uint32_t)record->parallel_flags, now);
  team->requested = record->requested;
  team->callers = callers_of(c, record);
  if (record->parallel_flags & OMPT_PARALLEL_league)
    begin_league(c, thread, team, now);
}

/* -- members -- */

static struct member *member_at(struct team *team, uint32_t index) {
  if (index >= MEMBERS_MAX)
    return NULL;
  array_reserve_zeroed(&team->members, &team->capacity, index + 1u, sizeof *team->members);
  team->size = index < team->size ? team->size : index + 1u;
  return &team->members[index];
}

static struct task *push_implicit(struct correlator *c, struct traced_thread *thread, struct team *team,
                                  uint64_t id, uint32_t index, struct member *member) {
  struct task *task = task_new(c);
  task->id = id;
  task->is_implicit = task->has_started = true;
  task->team = team_keep(team);
  task->creator = index;
  task->position = position_in(team, index);
  task->thread = thread;
  task->outer = thread->current;
  thread->current = task;
  *member = (struct member){.thread = thread, .task = task};
  if (id)
    map_put(&c->tasks, id, task);
  return task;
}

void team_write_fork(struct correlator *c, const struct team *team, uint64_t ticks) {
  if (plain_team_forks(c, team, ticks))
    return;
  struct event fork = {.kind = EVENT_FORK, .ticks = ticks, .requested = team->requested};
  add_callers(team, &fork);
  emit_event(c, team->primary, &fork);
}

/* In a pause the begins of a team that is written go on being written: its comm names all members. */
static void write_team_begin(struct correlator *c, struct traced_thread *thread, struct task *task,
                             uint64_t now) {
  if (task->team->is_hidden)
    return;
  pause_enter_hidden(c, thread, thread->base, now);
  emit_event(c, thread, &(struct event){.kind = EVENT_TEAM_BEGIN, .ticks = now, .team = task->team});
  thread->written_task = task;
}

static void fork_if_primary(struct correlator *c, struct traced_thread *thread, struct team *team,
                            uint32_t index) {
  if (index != 0 || thread != team->primary || team->is_forked)
    return;
  team->is_forked = true;
  if (!team->is_hidden && !team->has_fork)
    team_write_fork(c, team, team->fork_ticks);
}

/* The thread's part of the team; NULL: it began before. */
static struct task *add_member(struct correlator *c, struct traced_thread *thread, struct team *team,
                               uint64_t id, uint32_t index) {
  struct member *member = member_at(team, index);
  if (!member || member->thread)
    return NULL;
  position_name(c, thread, team, index);
  fork_if_primary(c, thread, team, index);
  team->started++;
  return push_implicit(c, thread, team, id, index, member);
}

static void write_member_begin(struct correlator *c, struct traced_thread *thread, struct task *task,
                               uint64_t now) {
  const struct frame frame = {.kind = FRAME_PARALLEL, .region = task->team->region};
  if (plain_member_begins(c, thread, task, now))
    return;
  write_team_begin(c, thread, task, now);
  if (!thread->moved || task->team->is_hidden) {
    frame_enter(c, thread, task, now, frame);
    return;
  }
  struct event enter = {.ticks = now};
  add_placement(thread, &enter);
  frame_enter_with(c, thread, task, frame, &enter);
}

static void begin_member(struct correlator *c, struct traced_thread *thread, struct team *team, uint64_t id,
                         uint32_t index, uint64_t now) {
  struct task *task = add_member(c, thread, team, id, index);
  if (task)
    write_member_begin(c, thread, task, now);
}

/* An initial task of a league runs in front of what the thread did before; ends with the league. */
static void begin_league_member(struct correlator *c, struct traced_thread *thread, struct team *team,
                                uint64_t id, uint32_t index, uint64_t now) {
  struct member *member = member_at(team, index);
  if (!member || member->thread)
    return;
  position_name(c, thread, team, index);
  struct task *task = push_implicit(c, thread, team, id, index, member);
  task->is_initial = true;
  uint32_t region = regions_get(c->regions, CONSTRUCT_teams_initial_task, team->codeptr, 0);
  frame_enter_with(c, thread, task, (struct frame){.kind = FRAME_BASE, .region = region},
                   &(struct event){.ticks = now, .attribute = ATTRIBUTE_team_number, .value = index});
}

/* The initial task of a thread is what runs outside of all teams: the base. */
static void begin_initial(struct correlator *c, struct traced_thread *thread, uint64_t id, uint64_t now) {
  char number[16];
  thread->base->id = id;
  thread->base->is_implicit = thread->base->is_initial = thread->base->has_started = true;
  thread->base->thread = thread;
  if (thread == c->primary || thread->location.facts.is_named)
    return;
  snprintf(number, sizeof number, "%u", ++c->initial_threads);
  definitions_name_location(c->definitions, &thread->location, "Initial thread ", number);
  frame_enter(
      c, thread, thread->base, now,
      (struct frame){.kind = FRAME_BASE, .region = regions_get(c->regions, CONSTRUCT_initial_task, 0, 0)});
}

/* The parallel_begin was dropped: nobody reports when the region ends for all. Each part is a region. */
static void begin_part(struct correlator *c, struct traced_thread *thread, uint64_t id, uint32_t actual,
                       uint32_t index, uint64_t now) {
  struct team *team = fork_team(c, thread, 0, 0, 0, now);
  team->requested = actual;
  team->is_partial = true;
  position_name(c, thread, team, index);
  begin_member(c, thread, team, id, 0, now);
  team->actual = 1;
  resolve(c, team);
}

void on_implicit_task_begin(struct correlator *c, struct traced_thread *thread,
                            const struct record_implicit_task_begin *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t actual = (uint32_t)record->actual_and_index, index = (uint32_t)(record->actual_and_index >> 32);
  struct team *team = map_get(&c->teams, record->parallel), *forked = thread->current->forked;
  if (!team && forked && !forked->is_forked && index == 0)
    team = forked; /* the runtime does not report which region: it is the one that this thread has just
                      encountered */
  if (team && team->is_league) { /* whatever the flags state: it has no comm */
    begin_league_member(c, thread, team, c->record_id, index, now);
    return;
  }
  if (record->task_flags & OMPT_TASK_initial) {
    begin_initial(c, thread, c->record_id, now);
    return;
  }
  if (!team || team->has_ended) { /* it has ended where events of its primary were dropped */
    begin_part(c, thread, c->record_id, actual, index, now);
    return;
  }
  team->actual = actual;
  struct task *task = add_member(c, thread, team, c->record_id, index);
  bool is_complete = team->started >= actual && get_comm(c, team); /* the last one's events need not wait */
  if (task)
    write_member_begin(c, thread, task, now);
  if (is_complete)
    resolve_waiting(c, team);
}

static void leave_late(struct correlator *c, struct traced_thread *thread, struct task *task,
                       uint64_t ticks) {
  size_t open = task->stack.count;
  while (task->stack.count > 0) {
    struct frame frame = task->stack.frames[--task->stack.count];
    if (frame.is_hidden)
      continue;
    pause_show(c, thread, task, ticks);
    struct event leave = {
        .kind = EVENT_LEAVE, .ticks = ticks, .region = frame.region, .team = task->team, .is_late = true};
    if (c->is_closing && task->stack.count + 1 == open)
      lock_awaited(c, &frame, &leave);
    emit_event(c, thread, &leave);
  }
}

static void write_member_end(struct correlator *c, struct traced_thread *thread, struct task *task,
                             uint64_t ticks, bool is_late) {
  struct team *team = task->team;
  undecided_flush(c, thread, is_late ? team : NULL);
  if (is_late)
    leave_late(c, thread, task, ticks);
  else
    frames_leave_above(c, thread, task, ticks, 0);
  if (!task->is_initial && !team->is_hidden)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_TEAM_END, .ticks = ticks, .team = team, .is_late = is_late});
  undecided_flush(c, thread, NULL);
}

/* A member of whose part nothing is written, and never will be, is none of the team's comm. */
static void forget_member(struct team *team, const struct task *task) {
  if (task->creator >= team->size || team->members[task->creator].task != task)
    return;
  team->members[task->creator].task = NULL;
  if (team->is_hidden)
    team->members[task->creator].thread = NULL;
}

/* A task that still seems to run in front of the implicit one, which goes on: the runtime did not report that
 * it was left, or that was dropped. Nobody else can go on with it, unless it is untied. */
static void leave_explicit(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  struct task *running = thread->current;
  if (running->is_implicit || running == thread->base)
    return;
  if (running->forked)
    team_join(c, running->forked, ticks);
  if (!running->is_untied)
    infer_complete(c, thread, running, ticks);
  task_switch(c, thread, implicit_task_of(thread), ticks, OMPT_TASK_STATUS_switch);
  if (!running->is_untied && !c->is_closing)
    task_forget(c, running);
}

void implicit_task_end(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks,
                       bool is_late) {
  leave_explicit(c, thread, ticks);
  if (task->forked)
    team_join(c, task->forked, ticks); /* its end is missing */
  if (!plain_member_ends(c, thread, task, ticks, is_late))
    write_member_end(c, thread, task, ticks, is_late);
  thread->current = task->outer;
  if (thread->written_task == task)
    thread->written_task = task->outer;
  forget_member(task->team, task);
  map_remove(&c->tasks, task->id);
  task_free(task);
}

/* Brings the thread back to the task, ending what is open in front of it; false if it does not run there. */
static bool unwind_to(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  if (thread->current == task)
    return true;
  if (!thread_has_open(thread, task))
    return false;
  while (implicit_task_of(thread) != task)
    implicit_task_end(c, thread, implicit_task_of(thread), ticks, false);
  leave_explicit(c, thread, ticks);
  return true;
}

/* The thread's own records of these ends will come later, or never. */
static void end_member(struct correlator *c, struct team *team, struct member *member) {
  struct traced_thread *thread = member->thread;
  struct task *task = member->task;
  uint64_t ticks = thread->last_ticks > team->end_ticks ? thread->last_ticks : team->end_ticks;
  if (!unwind_to(c, thread, task, ticks))
    return;
  thread->unreported += task->stack.count + 1;
  implicit_task_end(c, thread, task, ticks, true);
}

/* The primary has left its last barrier: ends the team for all members and, if it has no comm yet, makes
 * one. */
static void team_end(struct correlator *c, struct team *team, uint64_t ticks) {
  if (team->has_ended)
    return;
  team->has_ended = true;
  if (team->end_ticks == 0)
    team->end_ticks = ticks;
  resolve(c, team);
  emit_waiters_of(c->emitter, team);
  for (size_t i = 0; i < team->size; i++)
    if (team->members[i].task && team->members[i].thread != team->primary)
      end_member(c, team, &team->members[i]);
}

void implicit_task_leave(struct correlator *c, struct traced_thread *thread, struct task *task,
                         uint64_t ticks) {
  struct team *team = team_keep(task->team);
  bool is_primary = thread == team->primary;
  if (!is_primary) /* the primary has started: that was dropped, or its gap is still to come */
    team_begin_primary(c, team, team->primary->last_ticks);
  implicit_task_end(c, thread, task, ticks, !is_primary);
  if (is_primary && !team->is_league)
    team_end(c, team, ticks);
  if (team->is_partial)
    team_join(c, team, ticks);
  team_release(team);
}

/* The implicit task that ends is the thread's innermost. A late end comes when the primary's has ended the
 * worker's part: then it is one of the unreported, or there is none. */
void on_implicit_task_end(struct correlator *c, struct traced_thread *thread,
                          const struct record_implicit_task_end *record) {
  if (!(record->endpoint & ENDPOINT_END)) {
    emit_unknown(c, thread, thread_now(c, thread, record->ticks), 0, record->endpoint);
    return;
  }
  struct task *task = implicit_task_of(thread);
  if (task == thread->base) {
    bool is_initial = thread->unreported == 0 && (record->task_flags & OMPT_TASK_initial);
    if (is_initial)
      thread_now(c, thread, record->ticks);
    c->ignored_ends += !is_initial;
    thread->unreported -= thread->unreported < 2 ? thread->unreported : 2;
    return;
  }
  uint64_t now = thread_now(c, thread, record->ticks);
  if (unwind_to(c, thread, task, now))
    implicit_task_leave(c, thread, task, now);
}

void team_show(struct correlator *c, struct team *team, uint64_t ticks) {
  team->is_hidden = false;
  if (!team->is_forked)
    team->fork_ticks = ticks;
  if (team->started >= team->actual && team->started > 0)
    resolve(c, team);
}

/* -- the end of the region on its encountering thread -- */

void team_begin_primary(struct correlator *c, struct team *team, uint64_t ticks) {
  if (!team->is_forked && !team->is_league && team->primary)
    begin_member(c, team->primary, team, 0, 0, ticks);
}

static void end_league(struct correlator *c, struct team *team, uint64_t ticks) {
  team->end_ticks = ticks;
  team->has_ended = true;
  emit_waiters_of(c->emitter, team);
  for (size_t i = 0; i < team->size; i++)
    if (team->members[i].task)
      end_member(c, team, &team->members[i]);
  struct task *task = team->encountering;
  struct frame *frame = frame_find(task, FRAME_TEAMS);
  if (frame)
    frames_leave_above(c, team->primary, task, ticks, (size_t)(frame - task->stack.frames));
}

/* The primary; any thread may claim to be it. */
static void end_first_member(struct correlator *c, struct team *team, uint64_t ticks) {
  struct member first = team->size ? team->members[0] : (struct member){0};
  if (first.task && unwind_to(c, first.thread, first.task, ticks))
    implicit_task_end(c, first.thread, first.task, ticks, false);
}

void team_join(struct correlator *c, struct team *team, uint64_t ticks) {
  struct traced_thread *primary = team->primary;
  if (team->is_league) {
    end_league(c, team, ticks);
  } else {
    team_begin_primary(c, team, ticks);
    end_first_member(c, team, ticks);
    team_end(c, team, ticks);
    if (!plain_team_joins(c, team, ticks) && !team->is_hidden)
      emit_event(c, primary, &(struct event){.kind = EVENT_JOIN, .ticks = ticks});
  }
  team->encountering->forked = NULL;
  map_remove(&c->teams, team->id);
  team_release(team);
}

/* Where events were dropped, the end may be that of a region that nobody has started. */
static bool may_end(const struct traced_thread *thread, const struct team *team, uint64_t codeptr) {
  return !thread->has_gap || !codeptr || team->codeptr == codeptr;
}

/* The task of the thread whose region ends: the innermost one that has forked. */
static struct task *forked_task(const struct traced_thread *thread, uint64_t codeptr) {
  struct task *task = thread->current;
  while (task && !(task->forked && may_end(thread, task->forked, codeptr)))
    task = task->outer;
  return task;
}

void on_parallel_end(struct correlator *c, struct traced_thread *thread,
                     const struct record_parallel_end *record) {
  struct task *task = forked_task(thread, record->codeptr);
  if (!task) {
    c->ignored_ends++;
    return;
  }
  uint64_t now = thread_now(c, thread, record->ticks);
  if (task->is_implicit || task == thread->base)
    unwind_to(c, thread, task, now);
  team_join(c, task->forked, now);
}
