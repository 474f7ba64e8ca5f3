/* The Task Scheduling Constraints (OpenMP 5.1, 2.12.6), tied tasks that change threads, and threadprivate
 * variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "check/checker.h"
#include "trace/detail.h"

/* -- who created whom -- */

/* The nearest one that is not complete. The way past complete ones is shortened, so that a chain of tasks
 * each of which creates the next and ends does not grow. */
static struct ancestor *living_parent(struct ancestor *ancestor) {
  while (ancestor->parent && ancestor->parent->is_complete) {
    struct ancestor *complete = ancestor->parent;
    ancestor->parent = complete->parent;
    if (ancestor->parent)
      ancestor->parent->references++;
    checker_drop(complete);
  }
  return ancestor->parent;
}

static struct ancestor *ancestor_of(struct task_state *task, struct ancestor *parent) {
  if (task->ancestor)
    return task->ancestor;
  struct ancestor *ancestor = memory_get(1, sizeof *ancestor);
  *ancestor = (struct ancestor){.id = task->id, .parent = parent, .references = 1};
  if (parent)
    parent->references++;
  return task->ancestor = ancestor;
}

static bool descends_from(struct ancestor *ancestor, uint64_t id) {
  while (ancestor && ancestor->id != id)
    ancestor = living_parent(ancestor);
  return ancestor != NULL;
}

/* -- creation and dependences -- */

/* The tool records a task's flags where it is created. In a team of one thread the flag shows nothing of the
 * program: LLVM's runtime gives it to every task there, and defers those after a detached, hidden helper's or
 * target task all the same. */
static bool is_undeferred(const struct checker *checker, const struct replay_task_event *step) {
  const struct replay_task *task = step->task;
  const struct replay_team *team = replay_current_team(checker->replay, step->location);
  return team && team->size > 1 && !task->is_taskwait && task->create_region != REPLAY_NONE &&
         detail_has(&checker->trace->regions[task->create_region], "undeferred");
}

static void create(struct checker *checker, const struct replay_task_event *step) {
  checker_task(checker, step->task);
  struct task_state *parent = checker_task(checker, step->other);
  struct task_state *child = &checker->tasks[step->task->slot];
  child->create_region = step->task->create_region;
  ancestor_of(parent, NULL);
  ancestor_of(child, parent->ancestor);
  struct dependences_task name = replay_task_name(step->task);
  if (checks(checker, CHECK_UNDEFERRED) && is_undeferred(checker, step))
    parent->undeferred = name;
}

void check_tasks_on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                               uint64_t address) {
  struct checker *checker = data;
  struct task_state *task = checker_known_task(checker, sink);
  (void)address;
  if (!task)
    return;
  array_reserve(&task->before, &task->before_capacity, task->before_count + 1, sizeof source);
  task->before[task->before_count++] = source;
}

void check_tasks_on_exclusive(void *data, struct dependences_task sink, uint64_t set) {
  struct checker *checker = data;
  struct task_state *task = checker_known_task(checker, sink);
  if (!task)
    return;
  array_reserve(&task->sets, &task->set_capacity, task->set_count + 1, sizeof set);
  task->sets[task->set_count++] = set;
}

/* -- tied tasks -- */

static bool is_in_barrier(const struct replay_task *task) {
  for (uint32_t i = 1; i <= 4 && i <= task->frame_count; i++) {
    uint8_t construct = task->frames[task->frame_count - i].construct;
    if (construct == CONSTRUCT_barrier || construct == CONSTRUCT_implicit_barrier ||
        construct == CONSTRUCT_barrier_wait)
      return true;
  }
  return false;
}

static bool is_tied(const struct checker *checker, const struct replay_task *task) {
  return replay_construct(checker->replay, task->region) == CONSTRUCT_task;
}

/* A helper thread executes tasks of teams that it is not in: the constraint knows no such thing. */
static bool is_own_team(const struct checker *checker, const struct replay_task *task,
                        const struct replay_team *team) {
  return !team || team->comm == REPLAY_NONE || checker->trace->comms[team->comm].ref == task->comm;
}

static void find_tied(struct checker *checker, const struct replay_task_event *step,
                      const struct task_state *task, uint32_t held, uint32_t where) {
  struct check_finding *found = checker_find(checker, CHECK_TIED_SCHEDULING, step->location, step->ticks,
                                             checker_place_of(task), where);
  if (found)
    snprintf(found->detail, sizeof found->detail, "task %u of %s began while %s was suspended in %s",
             step->task->generation, checker->trace->locations[step->task->created_on].name,
             held == CHECK_NO_REGION ? "the implicit task" : checker_name(checker, held),
             where == CHECK_NO_REGION ? "it" : checker_name(checker, where));
}

/* The suspended task that forbids this one, or NULL. By induction it is enough to look at the latest tied
 * task, as long as each descends from the one before. */
static const struct tied *find_forbidding(const struct location_state *here, const struct task_state *task,
                                          uint64_t team) {
  for (size_t i = here->tied_count; i-- > 0 && here->tied[i].team == team;) {
    if (!descends_from(task->ancestor, here->tied[i].task.id))
      return &here->tied[i];
    if (here->tied[i].is_chained)
      break;
  }
  return NULL;
}

static void check_tied(struct checker *checker, const struct replay_task_event *step,
                       const struct task_state *task, const struct tied *forbidding) {
  const struct replay_task *implicit = replay_implicit_task(checker->replay, step->location);
  const struct replay_frame *frame =
      implicit->frame_count ? &implicit->frames[implicit->frame_count - 1] : NULL;
  const struct task_state *held = forbidding ? checker_known_task(checker, forbidding->task) : NULL;
  if (held)
    find_tied(checker, step, task, checker_place_of(held), held->suspended_in);
  else if (!is_in_barrier(implicit) && !descends_from(task->ancestor, implicit->id))
    find_tied(checker, step, task, CHECK_NO_REGION, frame ? frame->region : CHECK_NO_REGION);
}

static void begin_tied(struct checker *checker, const struct replay_task_event *step,
                       struct task_state *task) {
  struct location_state *here = &checker->locations[step->location];
  const struct replay_team *team = replay_current_team(checker->replay, step->location);
  uint64_t team_id = team ? team->id : 0;
  bool is_known = task->ancestor && step->task->is_created && is_own_team(checker, step->task, team);
  const struct tied *forbidding = is_known ? find_forbidding(here, task, team_id) : NULL;
  bool is_chained = is_known && !forbidding;
  if (is_known)
    check_tied(checker, step, task, forbidding);
  array_reserve(&here->tied, &here->tied_capacity, here->tied_count + 1, sizeof *here->tied);
  here->tied[here->tied_count++] = (struct tied){replay_task_name(step->task), team_id, is_chained};
}

static void untie(struct checker *checker, const struct replay_task *task) {
  struct location_state *here = task->started_on == SIZE_MAX ? NULL : &checker->locations[task->started_on];
  for (size_t i = here ? here->tied_count : 0; i-- > 0;) {
    if (here->tied[i].task.id != task->id)
      continue;
    if (i + 1 < here->tied_count)
      here->tied[i + 1].is_chained = false; /* what is below it now has to be looked at too */
    memmove(&here->tied[i], &here->tied[i + 1], (here->tied_count - i - 1) * sizeof *here->tied);
    here->tied_count--;
    return;
  }
}

/* -- steps of a task -- */

static void begin(struct checker *checker, const struct replay_task_event *step) {
  struct task_state *task = checker_task(checker, step->task);
  checker->locations[step->location].runs++;
  check_task_orders_begin(checker, step, task);
  task->has_started = true;
}

static void suspend(struct checker *checker, const struct replay_task_event *step) {
  struct task_state *task = checker_task(checker, step->task);
  const struct replay_task *replayed = step->task;
  task->suspended_on = step->location;
  task->started_there = checker->locations[step->location].runs;
  task->suspended_in =
      replayed->frame_count ? replayed->frames[replayed->frame_count - 1].region : CHECK_NO_REGION;
}

static void check_threadprivate(struct checker *checker, const struct replay_task_event *step,
                                const struct task_state *task) {
  bool has_moved = task->suspended_on != step->location;
  if (!has_moved && checker->locations[step->location].runs == task->started_there)
    return;
  struct check_finding *found = checker_find(checker, CHECK_THREADPRIVATE, step->location, step->ticks,
                                             checker_place_of(task), task->suspended_in);
  if (!found)
    return;
  const char *where = task->suspended_in == CHECK_NO_REGION ? "a task scheduling point"
                                                            : checker_name(checker, task->suspended_in);
  if (has_moved)
    snprintf(found->detail, sizeof found->detail, "suspended at %s, it went on on another thread", where);
  else
    snprintf(found->detail, sizeof found->detail, "suspended at %s, where %u other task%s ran on the thread",
             where, (unsigned)(checker->locations[step->location].runs - task->started_there),
             checker->locations[step->location].runs - task->started_there > 1 ? "s" : "");
}

static void resume(struct checker *checker, const struct replay_task_event *step) {
  struct task_state *task = checker_task(checker, step->task);
  if (checks(checker, CHECK_THREADPRIVATE))
    check_threadprivate(checker, step, task);
  checker->locations[step->location].runs++;
  if (!checks(checker, CHECK_TIED_MIGRATION) || !is_tied(checker, step->task) ||
      step->task->started_on == step->location || step->task->started_on == SIZE_MAX)
    return;
  struct check_finding *found = checker_find(checker, CHECK_TIED_MIGRATION, step->location, step->ticks,
                                             checker_place_of(task), task->suspended_in);
  if (found)
    snprintf(found->detail, sizeof found->detail, "started on %s, continued on %s",
             checker->trace->locations[step->task->started_on].name,
             checker->trace->locations[step->location].name);
}

static void complete(struct checker *checker, const struct replay_task_event *step) {
  struct task_state *task = checker_task(checker, step->task);
  check_task_orders_complete(checker, task, step->ticks);
  untie(checker, step->task);
  checker_release_task(task);
}

void check_tasks_on_step(struct checker *checker, const struct replay_task_event *step) {
  switch (step->step) {
  case REPLAY_TASK_CREATED:
    create(checker, step);
    break;
  case REPLAY_TASK_STARTED:
    begin(checker, step);
    break;
  case REPLAY_TASK_SUSPENDED:
    suspend(checker, step);
    break;
  case REPLAY_TASK_RESUMED:
    resume(checker, step);
    break;
  case REPLAY_TASK_COMPLETED:
    complete(checker, step);
    break;
  }
}

void check_tasks_end_implicit(struct checker *checker, const struct replay_task *task) {
  struct task_state *state = checker_known_task(checker, replay_task_name(task));
  if (!state)
    return;
  checker_release_task(state);
}

/* -- what comes after the step: the task's region shows whether it is tied -- */

static void enter_task(struct checker *checker, const struct trace_event *event,
                       const struct replay_task *task) {
  struct task_state *state = checker_task(checker, task);
  uint32_t region = checker_region(checker, event->Enter.region);
  if (task->frame_count > 0 || task->is_implicit || state->region != CHECK_NO_REGION)
    return;
  state->region = region;
  const struct replay_task_event step = {
      REPLAY_TASK_STARTED, event->location, event->ticks, task, NULL, NULL};
  if (checks(checker, CHECK_TIED_SCHEDULING) && replay_construct(checker->replay, region) == CONSTRUCT_task)
    begin_tied(checker, &step, state);
}

/* What may come between the creation of an undeferred task and its begin. */
static bool belongs_to_creation(enum construct construct) {
  enum construct_class class = construct_class(construct);
  return class == CONSTRUCT_CLASS_depend || class == CONSTRUCT_CLASS_doacross ||
         construct == CONSTRUCT_create_task;
}

/* One that has started: LLVM's runtime does not always report when it goes on or ends. */
static bool is_known_untied(const struct checker *checker, const struct task_state *task) {
  return task->region != CHECK_NO_REGION &&
         replay_construct(checker->replay, task->region) == CONSTRUCT_task_untied;
}

static void check_undeferred(struct checker *checker, const struct trace_event *event,
                             const struct replay_task *task) {
  struct task_state *state = checker_known_task(checker, replay_task_name(task));
  if (!state || state->undeferred.id == 0)
    return;
  struct task_state *child = checker_known_task(checker, state->undeferred);
  if (child &&
      belongs_to_creation(replay_construct(checker->replay, checker_region(checker, event->Enter.region))))
    return;
  state->undeferred.id = 0;
  if (!child || is_known_untied(checker, child))
    return;
  struct check_finding *found = checker_find(checker, CHECK_UNDEFERRED, event->location, event->ticks,
                                             checker_place_of(child), CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "its creator entered %s while the task %s",
             checker_name(checker, checker_region(checker, event->Enter.region)),
             child->has_started ? "was not complete" : "had not started");
}

void check_tasks_before_event(struct checker *checker, const struct trace_event *event) {
  if (event->kind != TRACE_Enter)
    return;
  const struct replay_task *task = replay_current_task(checker->replay, event->location);
  if (checks(checker, CHECK_UNDEFERRED))
    check_undeferred(checker, event, task);
  if (!task->is_implicit && task->frame_count == 0)
    enter_task(checker, event, task);
}
