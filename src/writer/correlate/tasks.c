/* Explicit tasks: created, switched between at task scheduling points, completed.
 *
 * A schedule record can name a prior task that is not the one that runs on its thread (taskyield, untied
 * tasks), so what runs is what the thread reports, and a task that completes elsewhere is switched to
 * first. */
#include "writer/correlate/tasks.h"
#include "base/map.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"
#include "writer/correlate/teams.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/ompt_names.h"
#include "writer/definitions/regions.h"

enum {
  STATUS_COMPLETE = OMPT_TASK_STATUS_complete,
  STATUS_CANCEL = OMPT_TASK_STATUS_cancel,
  STATUS_DETACH = OMPT_TASK_STATUS_detach,
  STATUS_EARLY_FULFILL = OMPT_TASK_STATUS_early_fulfill,
  STATUS_LATE_FULFILL = OMPT_TASK_STATUS_late_fulfill,
  STATUS_SWITCH = OMPT_TASK_STATUS_switch,
  STATUS_TASKWAIT_COMPLETE = OMPT_TASK_STATUS_taskwait_complete,
};
/* of its FRAME_SYNC, whose wait_id is the task's id */
static const uint32_t DETAIL_TASKWAIT_DEPEND = UINT32_MAX;

static struct event task_event(enum event_kind kind, const struct task *task, uint64_t ticks) {
  return (struct event){.kind = (uint8_t)kind,
                        .ticks = ticks,
                        .team = task->team,
                        .creator = task->creator,
                        .generation = task->generation};
}

static void set_status(struct correlator *c, struct event *event, uint32_t status) {
  event->attribute = ATTRIBUTE_prior_task_status;
  event->value = definitions_string(c->definitions, ompt_task_status_name(status));
}

/* A task as one number: a generation alone is unique only among those that one location has created. */
static uint64_t task_name(const struct task *task) {
  return task ? (uint64_t)task->creator_location << 32 | task->generation : 0;
}

/* -- creation -- */

/* Its team has ended in the pause, and the runtime did not report that the task has: then it is one of the
 * thread's. */
static void move_to_known_team(struct correlator *c, struct traced_thread *thread, struct task *task) {
  if (!task->team->is_hidden || !task->team->has_ended)
    return;
  team_release(task->team);
  task->team = team_keep(team_of(c, thread));
  task->creator = thread_number_of(thread);
}

void task_show(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  task->is_hidden = false;
  move_to_known_team(c, thread, task);
  task->generation = (uint32_t)++thread->generations;
  struct event event = task_event(EVENT_TASK_CREATE, task, ticks);
  emit_enter(c, thread, ticks, task->creation);
  emit_event(c, thread, &event);
  emit_leave(c, thread, ticks, task->creation);
}

static struct task *create(struct correlator *c, struct traced_thread *thread, uint64_t id, uint64_t codeptr,
                           uint32_t flags, uint64_t now) {
  struct task *task = task_new(c);
  task->id = id;
  task->team = team_keep(team_of(c, thread));
  task->creator = thread_number_of(thread);
  task->creator_location = thread->location.id;
  codeptr = code_known(c, thread, codeptr); /* libomp gives those of a taskloop an address of its own */
  task->codeptr = codeptr;
  task->is_taskwait = flags & OMPT_TASK_taskwait;
  task->is_target = flags & OMPT_TASK_target;
  task->is_untied = flags & OMPT_TASK_untied;
  task->region = region_at(c, thread, task->is_untied ? CONSTRUCT_task_untied : CONSTRUCT_task, codeptr, 0);
  task->creation = region_at(c, thread, CONSTRUCT_create_task, codeptr, flags);
  task->is_hidden = c->is_paused;
  if (!task->is_hidden)
    task_show(c, thread, task, now);
  return task;
}

void on_task_create(struct correlator *c, struct traced_thread *thread,
                    const struct record_task_create *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (record->task_flags & OMPT_TASK_taskwait)
    frame_enter(
        c, thread, thread->current, now,
        (struct frame){.kind = FRAME_SYNC,
                       .detail = DETAIL_TASKWAIT_DEPEND,
                       .wait_id = c->record_id,
                       .region = region_at(c, thread, CONSTRUCT_taskwait_depend, record->codeptr, 0)});
  struct task *task = create(c, thread, c->record_id, record->codeptr, record->task_flags, now);
  if (record->task_flags & OMPT_TASK_merged)
    task_free(task); /* it runs as part of the task that creates it */
  else
    map_put(&c->tasks, c->record_id, task);
}

/* -- scheduling -- */

/* Nobody goes back to a task that is gone: whoever runs in front of it goes back to what is after. */
static void unlink_task(struct traced_thread *thread, const struct task *task) {
  for (struct task *open = thread ? thread->current : NULL; open; open = open->outer)
    if (open->outer == task)
      open->outer = task->outer;
}

/* The regions that the task still seems to be in, where it ran last, have ended without a report of it:
 * nobody goes on with a task in front of which something runs. */
static void come_back_to(struct correlator *c, struct task *task) {
  struct traced_thread *thread = task->thread;
  if (task->forked)
    team_join(c, task->forked, thread ? thread->last_ticks : c->last_ticks);
  if (!thread || !thread_has_open(thread, task))
    return;
  while (thread->current != task)
    implicit_task_end(c, thread, implicit_task_of(thread), thread->last_ticks, false);
}

void task_forget(struct correlator *c, struct task *task) {
  struct traced_thread *thread = task->thread;
  come_back_to(c, task);
  if (thread && thread->current == task)
    thread->current = implicit_task_of(thread);
  if (thread && thread->written_task == task)
    thread->written_task = NULL;
  unlink_task(thread, task);
  map_remove(&c->tasks, task->id);
  task_free(task);
}

/* Another thread still seems to run it: that one went back to its implicit task without a report of it. */
static void suspend_elsewhere(struct correlator *c, struct traced_thread *thread, struct task *task) {
  struct traced_thread *other = task->thread;
  if (other && other != thread && other->current == task)
    task_switch(c, other, implicit_task_of(other), other->last_ticks, STATUS_SWITCH);
}

static void start_or_resume(struct correlator *c, struct traced_thread *thread, struct task *task,
                            uint64_t ticks) {
  task->outer = implicit_task_of(thread);
  task->thread = thread;
  thread->current = task;
  if (!c->is_paused)
    pause_enter_hidden(c, thread, task, ticks);
  if (task->has_started)
    return;
  task->has_started = true;
  frame_enter(c, thread, task, ticks, (struct frame){.kind = FRAME_TASK, .region = task->region});
}

static void write_switch(struct correlator *c, struct traced_thread *thread, const struct task *next,
                         uint64_t ticks, uint32_t status) {
  struct event event = task_switch_event(c, thread, next, ticks);
  if (status != STATUS_COMPLETE && status != STATUS_SWITCH)
    set_status(c, &event, status);
  emit_event(c, thread, &event);
}

void task_switch(struct correlator *c, struct traced_thread *thread, struct task *next, uint64_t ticks,
                 uint32_t status) {
  bool is_explicit = !next->is_implicit && next != thread->base;
  if (is_explicit) {
    come_back_to(c, next);
    suspend_elsewhere(c, thread, next);
  }
  if (c->is_paused)
    pause_switch(c, thread, next, ticks);
  else
    write_switch(c, thread, is_explicit ? next : implicit_task_of(thread), ticks, status);
  if (is_explicit)
    start_or_resume(c, thread, next, ticks);
  else
    /* whatever implicit task it names: this thread's is the innermost */
    thread->current = implicit_task_of(thread);
}

/* One that has run in a pause only, as far as was written, completes without having run: then the attribute
 * states how. */
static bool has_run_unseen(const struct correlator *c, const struct traced_thread *thread,
                           const struct task *task) {
  return c->is_paused && thread->written_task != task;
}

static void complete(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t now,
                     uint32_t status) {
  struct event event = task_event(EVENT_TASK_COMPLETE, task, now);
  if (task->is_hidden)
    return;
  if (status != STATUS_COMPLETE || has_run_unseen(c, thread, task))
    set_status(c, &event, status);
  emit_event(c, thread, &event);
  if (thread->written_task == task)
    thread->written_task = NULL;
}

/* The task that runs here ends; the caller switches to another one immediately. */
static void end_running(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t now,
                        uint32_t status) {
  if (thread->current != task)
    task_switch(c, thread, task, now, STATUS_SWITCH);
  frames_leave_above(c, thread, task, now, 0);
  complete(c, thread, task, now, status);
  thread->current = implicit_task_of(thread);
  task->is_detached = status == STATUS_DETACH;
  if (!task->is_detached)
    task_forget(c, task);
}

void infer_complete(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks) {
  frames_leave_above(c, thread, task, ticks, 0);
  if (c->is_closing || task->is_hidden)
    return;
  struct event event = task_event(EVENT_TASK_COMPLETE, task, ticks);
  event.attribute = ATTRIBUTE_added;
  event.value = 1;
  if (has_run_unseen(c, thread, task)) {
    event.attribute2 = ATTRIBUTE_added;
    event.value2 = 1;
    set_status(c, &event, STATUS_COMPLETE);
  }
  emit_event(c, thread, &event);
}

/* A task with the id was never seen to be created: its creation was dropped. */
static struct task *create_unseen(struct correlator *c, struct traced_thread *thread, uint64_t id,
                                  uint64_t now) {
  struct task *task = create(c, thread, id, 0, 0, now);
  map_put(&c->tasks, id, task);
  return task;
}

/* An implicit task of another thread cannot run here: then it is this thread's own. */
static struct task *known_or_implicit(struct traced_thread *thread, struct task *task) {
  return task && !task->is_implicit ? task : implicit_task_of(thread);
}

/* That of the team that it works in, by its id, or by none. */
static bool is_own_implicit(const struct traced_thread *thread, const struct task *implicit, uint64_t id) {
  return id == 0 || (id == implicit->id && implicit != thread->base);
}

/* What goes on when a task has ended. LLVM's runtime may still be at the end of one that is complete when it
 * begins one that waited for it, and then names the complete one: what that was switched to in front of goes
 * on. */
static struct task *resumed_by_end(struct correlator *c, struct traced_thread *thread, uint64_t id,
                                   uint64_t in_front_of) {
  struct task *implicit = implicit_task_of(thread);
  if (is_own_implicit(thread, implicit, id))
    return implicit;
  struct task *task = map_get(&c->tasks, id);
  return known_or_implicit(thread, task || in_front_of == 0 ? task : map_get(&c->tasks, in_front_of));
}

/* A task that is complete may begin once more, without being created once more (taskgraph). */
static struct task *switched_to(struct correlator *c, struct traced_thread *thread, uint64_t id,
                                uint64_t now) {
  struct task *implicit = implicit_task_of(thread);
  if (is_own_implicit(thread, implicit, id))
    return implicit;
  struct task *task = map_get(&c->tasks, id);
  return task ? known_or_implicit(thread, task) : create_unseen(c, thread, id, now);
}

static void point_fulfill(struct correlator *c, struct traced_thread *thread, const struct task *task,
                          uint32_t status, uint64_t now) {
  struct event event = {.ticks = now, .region = regions_get(c->regions, CONSTRUCT_fulfill_event, 0, 0)};
  set_status(c, &event, status);
  if (task) {
    event.attribute2 = ATTRIBUTE_fulfilled_task;
    event.value2 = task_name(task);
  }
  emit_point(c, thread, &event);
}

void task_suspend_unreported(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  if (thread->current != thread->base && (thread->current->is_untied || thread->has_gap))
    task_switch(c, thread, implicit_task_of(thread), thread_now(c, thread, ticks), STATUS_SWITCH);
}

/* -- taskwait with depend: a task that the tool gives no id (callbacks_task.c); the construct's frame has it
 * -- */

static struct frame *find_taskwait(const struct traced_thread *thread) {
  struct frame *frame = frame_find(thread->current, FRAME_SYNC);
  return frame && frame->detail == DETAIL_TASKWAIT_DEPEND ? frame : NULL;
}

/* The task with the id; without one, that of the taskwait in which the thread's task is. */
static struct task *task_or_taskwait(struct correlator *c, const struct traced_thread *thread, uint64_t id) {
  const struct frame *frame = id ? NULL : find_taskwait(thread);
  return map_get(&c->tasks, frame ? frame->wait_id : id);
}

static void end_taskwait(struct correlator *c, struct traced_thread *thread, uint64_t id, uint64_t now) {
  struct task *task = task_or_taskwait(c, thread, id);
  if (task && task->is_taskwait) {
    complete(c, thread, task, now, STATUS_TASKWAIT_COMPLETE);
    task_forget(c, task);
  }
  const struct frame *frame = find_taskwait(thread);
  if (frame)
    frames_leave_above(c, thread, thread->current, now, (size_t)(frame - thread->current->stack.frames));
}

/* NULL: the runtime names none, or one that is gone. Most name the one that runs. */
static struct task *task_before(struct correlator *c, struct traced_thread *thread, uint64_t id) {
  if (id == 0)
    return NULL;
  return id == thread->current->id && thread->current != thread->base ? thread->current
                                                                      : map_get(&c->tasks, id);
}

void on_task_schedule(struct correlator *c, struct traced_thread *thread,
                      const struct record_task_schedule *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t status = record->prior_status;
  struct task *prior = task_before(c, thread, record->prior_task);
  if (status == STATUS_EARLY_FULFILL || status == STATUS_LATE_FULFILL) {
    point_fulfill(c, thread, prior, status, now);
    if (prior && prior->is_detached)
      task_forget(c, prior);
    return;
  }
  if (status == STATUS_TASKWAIT_COMPLETE) {
    end_taskwait(c, thread, record->prior_task, now);
    return;
  }
  bool ends = status == STATUS_COMPLETE || status == STATUS_CANCEL || status == STATUS_DETACH;
  bool is_explicit = prior && !prior->is_implicit;
  if (ends && is_explicit && !prior->has_started) {
    complete(c, thread, prior, now, status == STATUS_COMPLETE ? STATUS_CANCEL : status);
    task_forget(c, prior);
    return;
  }
  if (ends && is_explicit) {
    uint64_t in_front_of = prior->in_front_of;
    end_running(c, thread, prior, now, status);
    task_switch(c, thread, resumed_by_end(c, thread, record->next_task, in_front_of), now, STATUS_COMPLETE);
    return;
  }
  struct task *next = switched_to(c, thread, record->next_task, now);
  next->in_front_of = record->prior_task && !prior ? thread->current->id : record->prior_task;
  task_switch(c, thread, next, now, status);
}

/* -- dependences and cancellation: points -- */

static enum construct construct_of_dependence(uint64_t type) {
  static const enum construct by_type[] = {
      [OMPT_DEPENDENCE_in] = CONSTRUCT_depend_in,
      [OMPT_DEPENDENCE_out] = CONSTRUCT_depend_out,
      [OMPT_DEPENDENCE_inout] = CONSTRUCT_depend_inout,
      [OMPT_DEPENDENCE_mutexinoutset] = CONSTRUCT_depend_mutexinoutset,
      [OMPT_DEPENDENCE_source] = CONSTRUCT_depend_source,
      [OMPT_DEPENDENCE_sink] = CONSTRUCT_depend_sink,
      [OMPT_DEPENDENCE_inoutset] = CONSTRUCT_depend_inoutset,
      [OMPT_DEPENDENCE_out_all_memory] = CONSTRUCT_depend_out_all_memory,
      [OMPT_DEPENDENCE_inout_all_memory] = CONSTRUCT_depend_inout_all_memory,
  };
  enum construct found = type < sizeof by_type / sizeof *by_type ? by_type[type] : 0;
  return found ? found : CONSTRUCT_depend_unknown;
}

void on_dependence(struct correlator *c, struct traced_thread *thread,
                   const struct record_dependence *record) {
  const struct task *task = task_or_taskwait(c, thread, record->task);
  enum construct construct = construct_of_dependence(record->dependence_type);
  emit_point(
      c, thread,
      &(struct event){.ticks = thread_now(c, thread, record->ticks),
                      .region = region_at(c, thread, construct, task ? task->codeptr : 0, 0),
                      .attribute = ATTRIBUTE_dependence_address,
                      .value = record->variable,
                      .attribute2 = construct == CONSTRUCT_depend_unknown ? ATTRIBUTE_kind : ATTRIBUTE_NONE,
                      .value2 = record->dependence_type});
}

void on_task_dependence(struct correlator *c, struct traced_thread *thread,
                        const struct record_task_dependence *record) {
  emit_point(c, thread,
             &(struct event){.ticks = thread_now(c, thread, record->ticks),
                             .region = regions_get(c->regions, CONSTRUCT_task_dependence, 0, 0),
                             .attribute = ATTRIBUTE_source_task,
                             .value = task_name(map_get(&c->tasks, record->source_task)),
                             .attribute2 = ATTRIBUTE_sink_task,
                             .value2 = task_name(task_or_taskwait(c, thread, record->sink_task))});
}

/* A loop or sections region that is cancelled never ends for the thread that finds out. */
void on_cancel(struct correlator *c, struct traced_thread *thread, const struct record_cancel *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  emit_point(c, thread,
             &(struct event){.ticks = now,
                             .region = region_at(c, thread, CONSTRUCT_cancel, record->codeptr, 0),
                             .attribute = ATTRIBUTE_cancel_flags,
                             .value = record->cancel_flags});
  if ((record->cancel_flags & (OMPT_CANCEL_sections | OMPT_CANCEL_loop)) &&
      (record->cancel_flags & (OMPT_CANCEL_activated | OMPT_CANCEL_detected)))
    frames_leave_unended_work(c, thread, now);
}
