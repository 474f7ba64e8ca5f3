#include "writer/correlate/plain_tasks.h"

#include "base/map.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/model.h"

/* How events name the task, whose team is known: that has its ranks then. */
static inline const struct task_name *name_of(struct task *task) {
  const struct team *team = task->team;
  if (!task->name.length)
    task->name = event_task_name(
        team->comm, task->creator < team->size ? team->members[task->creator].rank : task->creator,
        task->generation);
  return &task->name;
}

static inline bool is_known(const struct team *team) {
  return team && team->comm != COMM_UNKNOWN;
}

/* Whether the thread is in a team that is written. */
static inline bool is_in_team(const struct task *implicit) {
  return is_known(implicit->team) && !implicit->is_initial && !implicit->team->is_hidden;
}

/* -- creation -- */

static bool is_plain_creation(struct correlator *c, const struct record_task_create *record) {
  const uint32_t others = OMPT_TASK_taskwait | OMPT_TASK_target | OMPT_TASK_untied | OMPT_TASK_merged;
  return !(record->task_flags & others) && region_is_answered(c, CONSTRUCT_task, record->codeptr, 0) &&
         region_is_answered(c, CONSTRUCT_create_task, record->codeptr, record->task_flags);
}

static bool write_created(struct correlator *c, struct traced_thread *thread, const struct task_name *name,
                          uint64_t now) {
  struct location *location = &thread->location;
  uint64_t creation = emitter_layout(c->emitter, c->answers[CONSTRUCT_create_task].region);
  if (!creation || !may_write_all(c, thread, now, 3) ||
      !event_writer_put_created(location->writer, now, name, creation))
    return false;
  emit_has_written_some(location, now, EVENT_LEAVE, 3);
  return true;
}

bool plain_task_is_created(struct correlator *c, struct traced_thread *thread,
                           const struct record_task_create *record) {
  struct task *implicit = implicit_task_of(thread);
  uint64_t now = thread_now(c, thread, record->ticks);
  if (!is_plain_creation(c, record) || !is_in_team(implicit))
    return false;
  struct task_name name = event_created_name(name_of(implicit), (uint32_t)thread->generations + 1);
  if (!write_created(c, thread, &name, now))
    return false;
  struct task *task = task_new(c);
  task->id = c->record_id;
  task->team = team_keep(implicit->team);
  task->creator = implicit->creator;
  task->creator_location = thread->location.id;
  task->codeptr = record->codeptr;
  task->region = c->answers[CONSTRUCT_task].region;
  task->creation = c->answers[CONSTRUCT_create_task].region;
  task->generation = (uint32_t)++thread->generations;
  task->name = name;
  map_put(&c->tasks, c->record_id, task);
  return true;
}

/* -- begin -- */

static bool is_fresh(const struct traced_thread *thread, const struct task *task) {
  return task && !task->is_implicit && task != thread->base && !task->thread && !task->has_started &&
         !task->forked && !task->is_hidden && task->stack.count == 0 && is_known(task->team);
}

static bool write_started(struct correlator *c, struct traced_thread *thread, struct task *task,
                          uint64_t now) {
  struct location *location = &thread->location;
  uint64_t region = emitter_layout(c->emitter, task->region);
  if (!region || !may_write_all(c, thread, now, 2) ||
      !event_writer_put_started(location->writer, now, name_of(task), region))
    return false;
  emit_has_written_some(location, now, EVENT_ENTER, 2);
  return true;
}

bool plain_task_begins(struct correlator *c, struct traced_thread *thread,
                       const struct record_task_schedule *record) {
  struct task *implicit = implicit_task_of(thread);
  uint64_t prior = record->prior_task, next = record->next_task;
  bool is_prior_known = prior == 0 || (prior == thread->current->id && thread->current != thread->base);
  if (!is_prior_known || next == 0 || next == implicit->id)
    return false;
  struct task *task = map_get(&c->tasks, next);
  uint64_t now = thread_now(c, thread, record->ticks);
  if (!is_fresh(thread, task) || !write_started(c, thread, task, now))
    return false;
  task->in_front_of = prior;
  task->outer = implicit;
  task->thread = thread;
  task->has_started = true;
  thread->current = task;
  frame_push(c, task, (struct frame){.kind = FRAME_TASK, .region = task->region});
  return true;
}

/* -- end -- */

static bool is_open(const struct task *innermost, const struct task *task) {
  while (innermost && innermost != task)
    innermost = innermost->outer;
  return innermost != NULL;
}

static bool may_end(const struct traced_thread *thread, const struct task *task,
                    const struct task *implicit) {
  return !task->is_implicit && task != thread->base && task->has_started && !task->forked &&
         !task->is_hidden && task->stack.count == 1 && task->stack.frames[0].kind == FRAME_TASK &&
         !task->stack.frames[0].is_hidden && is_known(task->team) && !is_open(implicit, task);
}

/* It has waited in front of the implicit task for what ends now. */
static bool may_go_on(const struct traced_thread *thread, const struct task *task,
                      const struct task *implicit) {
  const struct frame *top = task && task->stack.count ? &task->stack.frames[task->stack.count - 1] : NULL;
  return top && !top->is_hidden && top->kind != FRAME_MUTEX && !task->is_implicit && task != thread->base &&
         task->has_started && task->thread == thread && !task->forked && !task->is_hidden &&
         is_known(task->team) && !is_open(implicit, task);
}

/* What goes on; NULL: that is not simple. */
static struct task *next_of(const struct correlator *c, const struct traced_thread *thread,
                            struct task *implicit, uint64_t id) {
  if (id == 0 || (id == implicit->id && implicit != thread->base))
    return is_in_team(implicit) ? implicit : NULL;
  struct task *task = map_get(&c->tasks, id);
  return task != thread->current && may_go_on(thread, task, implicit) ? task : NULL;
}

static bool write_completed(struct correlator *c, struct traced_thread *thread, struct task *task,
                            struct task *next, uint64_t now) {
  struct location *location = &thread->location;
  uint64_t region = emitter_layout(c->emitter, task->region);
  if (!region || !may_write_all(c, thread, now, 3) ||
      !event_writer_put_completed(location->writer, now, region, name_of(task), name_of(next)))
    return false;
  emit_has_written_some(location, now, EVENT_TASK_SWITCH, 3);
  return true;
}

bool plain_task_ends(struct correlator *c, struct traced_thread *thread,
                     const struct record_task_schedule *record) {
  struct task *task = thread->current, *implicit = implicit_task_of(thread);
  if (record->prior_task == 0 || record->prior_task != task->id || !may_end(thread, task, implicit))
    return false;
  struct task *next = next_of(c, thread, implicit, record->next_task);
  uint64_t now = thread_now(c, thread, record->ticks);
  if (!next || !write_completed(c, thread, task, next, now))
    return false;
  if (thread->written_task == task)
    thread->written_task = NULL;
  if (next != implicit)
    next->outer = implicit;
  thread->current = next;
  map_remove(&c->tasks, task->id);
  task_free(task);
  return true;
}
