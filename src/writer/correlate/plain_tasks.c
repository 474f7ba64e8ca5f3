#include "writer/correlate/plain_tasks.h"

#include "base/map.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/model.h"

/* What no record of a run changes. */
struct task_run {
  struct correlator *c;
  struct traced_thread *thread;
  struct location *location;
  struct task *implicit;
  bool is_in_team;       /* one that is written */
  bool has_outer_region; /* whose task may be an explicit one */
};

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

static inline bool is_plain_creation(struct correlator *c, const struct record_task_create *record) {
  const uint32_t others = OMPT_TASK_taskwait | OMPT_TASK_target | OMPT_TASK_untied | OMPT_TASK_merged;
  return !(record->task_flags & others) && region_is_answered(c, CONSTRUCT_task, record->codeptr, 0) &&
         region_is_answered(c, CONSTRUCT_create_task, record->codeptr, record->task_flags);
}

static inline bool write_created(const struct task_run *run, const struct task_name *name, uint64_t now) {
  struct location *location = run->location;
  const struct correlator *c = run->c;
  uint64_t creation = emitter_layout(c->emitter, c->answers[CONSTRUCT_create_task].region);
  if (!creation || !emit_has_room_for(location, now, 3) ||
      !event_writer_put_created(location->writer, now, name, creation))
    return false;
  emit_has_written_some(location, now, EVENT_LEAVE, 3);
  return true;
}

static inline bool is_created(const struct task_run *run, uint64_t id,
                              const struct record_task_create *record, uint64_t now) {
  struct correlator *c = run->c;
  struct traced_thread *thread = run->thread;
  struct task *implicit = run->implicit;
  if (!run->is_in_team || !is_plain_creation(c, record))
    return false;
  struct task_name name = event_created_name(name_of(implicit), (uint32_t)thread->generations + 1);
  if (!write_created(run, &name, now))
    return false;
  struct task *task = task_new(c);
  task->id = id;
  task->team = team_keep(implicit->team);
  task->creator = implicit->creator;
  task->creator_location = run->location->id;
  task->codeptr = record->codeptr;
  task->region = c->answers[CONSTRUCT_task].region;
  task->creation = c->answers[CONSTRUCT_create_task].region;
  task->generation = (uint32_t)++thread->generations;
  task->name = name;
  map_put(&c->tasks, id, task);
  return true;
}

/* -- begin -- */

static inline bool is_fresh(const struct traced_thread *thread, const struct task *task) {
  return task && !task->is_implicit && task != thread->base && !task->thread && !task->has_started &&
         !task->forked && !task->is_hidden && task->stack.count == 0 && is_known(task->team);
}

static inline bool write_started(const struct task_run *run, struct task *task, uint64_t now) {
  struct location *location = run->location;
  uint64_t region = emitter_layout(run->c->emitter, task->region);
  if (!region || !emit_has_room_for(location, now, 2) ||
      !event_writer_put_started(location->writer, now, name_of(task), region))
    return false;
  emit_has_written_some(location, now, EVENT_ENTER, 2);
  return true;
}

/* One that has not run so far. */
static inline bool begins(const struct task_run *run, const struct record_task_schedule *record,
                          uint64_t now) {
  struct traced_thread *thread = run->thread;
  struct task *implicit = run->implicit;
  uint64_t prior = record->prior_task, next = record->next_task;
  bool is_prior_known = prior == 0 || (prior == thread->current->id && thread->current != thread->base);
  if (!is_prior_known || next == 0 || next == implicit->id)
    return false;
  struct task *task = map_get(&run->c->tasks, next);
  if (!is_fresh(thread, task) || !write_started(run, task, now))
    return false;
  task->in_front_of = prior;
  task->outer = implicit;
  task->thread = thread;
  task->has_started = true;
  thread->current = task;
  frame_push(run->c, task, (struct frame){.kind = FRAME_TASK, .region = task->region});
  return true;
}

/* -- end -- */

/* Whether the region in which the thread is was encountered in the task. */
static inline bool is_around(const struct task_run *run, const struct task *task) {
  const struct task *open = run->has_outer_region ? run->implicit->outer : NULL;
  while (open && open != task)
    open = open->outer;
  return open != NULL;
}

static inline bool may_end(const struct task_run *run, const struct task *task) {
  return !task->is_implicit && task != run->thread->base && task->has_started && !task->forked &&
         !task->is_hidden && task->stack.count == 1 && frame_is_shown(&task->stack.frames[0], FRAME_TASK) &&
         is_known(task->team) && !is_around(run, task);
}

/* It has waited in front of the implicit task for what ends now. */
static inline bool may_go_on(const struct task_run *run, const struct task *task) {
  const struct frame *top = task && task->stack.count ? &task->stack.frames[task->stack.count - 1] : NULL;
  return top && !top->is_hidden && top->kind != FRAME_MUTEX && !task->is_implicit &&
         task != run->thread->base && task->has_started && task->thread == run->thread && !task->forked &&
         !task->is_hidden && is_known(task->team) && !is_around(run, task);
}

/* What goes on; NULL: that is not simple. */
static inline struct task *next_of(const struct task_run *run, uint64_t id) {
  struct task *implicit = run->implicit;
  if (id == 0 || (id == implicit->id && implicit != run->thread->base))
    return run->is_in_team ? implicit : NULL;
  struct task *task = map_get(&run->c->tasks, id);
  return task != run->thread->current && may_go_on(run, task) ? task : NULL;
}

static inline bool write_completed(const struct task_run *run, struct task *task, struct task *next,
                                   uint64_t now) {
  struct location *location = run->location;
  uint64_t region = emitter_layout(run->c->emitter, task->region);
  if (!region || !emit_has_room_for(location, now, 3) ||
      !event_writer_put_completed(location->writer, now, region, name_of(task), name_of(next)))
    return false;
  emit_has_written_some(location, now, EVENT_TASK_SWITCH, 3);
  return true;
}

/* The thread's task, and the implicit one or an explicit one that has run there goes on. */
static inline bool ends(const struct task_run *run, const struct record_task_schedule *record, uint64_t now) {
  struct traced_thread *thread = run->thread;
  struct task *task = thread->current, *implicit = run->implicit;
  if (record->prior_task == 0 || record->prior_task != task->id || !may_end(run, task))
    return false;
  struct task *next = next_of(run, record->next_task);
  if (!next || !write_completed(run, task, next, now))
    return false;
  if (thread->written_task == task)
    thread->written_task = NULL;
  if (next != implicit)
    next->outer = implicit;
  thread->current = next;
  map_remove(&run->c->tasks, task->id);
  task_free(task);
  return true;
}

/* -- records that follow each other -- */

static inline bool begin_run(struct task_run *run, struct correlator *c, struct traced_thread *thread) {
  struct task *implicit = implicit_task_of(thread);
  *run = (struct task_run){.c = c,
                           .thread = thread,
                           .location = &thread->location,
                           .implicit = implicit,
                           .is_in_team = is_in_team(implicit),
                           .has_outer_region = implicit->outer && implicit->outer != thread->base};
  return may_write_some(c, thread);
}

static inline bool is_done(const struct task_run *run, uint64_t id, const struct record *record,
                           uint64_t now) {
  const struct record_task_schedule *schedule = (const struct record_task_schedule *)record;
  if (record->type == RECORD_task_create)
    return is_created(run, id, (const struct record_task_create *)record, now);
  if (record->type != RECORD_task_schedule)
    return false;
  return schedule->prior_status == OMPT_TASK_STATUS_switch     ? begins(run, schedule, now)
         : schedule->prior_status == OMPT_TASK_STATUS_complete ? ends(run, schedule, now)
                                                               : false;
}

uint64_t plain_tasks(struct correlator *c, struct traced_thread *thread, uint64_t id,
                     const struct record *records, uint64_t n) {
  struct task_run run;
  uint64_t done = 0, now = thread->last_ticks;
  if (!begin_run(&run, c, thread))
    return 0;
  for (; done < n && !(records[done].flags & RECORD_FLAG_COUNTERS); done++) {
    const struct record *record = &records[done];
    now = record->ticks > now ? record->ticks : now;
    if (!is_done(&run, id + done, record, now))
      break;
  }
  return note_handled(
      c, thread, records, done,
      (const enum record_type[3]){RECORD_task_create, RECORD_task_schedule, RECORD_task_schedule});
}
