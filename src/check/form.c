/* Whether events come in pairs and states, and name what exists. What the replay makes good is reported here
 * first. */
#include <stdio.h>

#include "base/array.h"
#include "check/checker.h"

static void describe(struct check_finding *found, const char *text, const char *name) {
  if (found)
    snprintf(found->detail, sizeof found->detail, text, name);
}

/* -- regions -- */

static bool is_open(const struct replay_task *task, uint32_t region) {
  uint32_t i = task->frame_count;
  while (i > 0 && task->frames[i - 1].region != region)
    i--;
  return i > 0;
}

static void before_leave(struct checker *checker, const struct trace_event *event) {
  const struct replay_frame *frame = replay_top_frame(checker->replay, event->location);
  uint32_t region = checker_region(checker, event->Leave.region);
  if (frame && frame->region == region)
    return;
  bool is_around = is_open(replay_current_task(checker->replay, event->location), region);
  struct check_finding *found = checker_find(checker, CHECK_PAIRING, event->location, event->ticks, region,
                                             frame ? frame->region : CHECK_NO_REGION);
  describe(found, is_around ? "it ends while %s inside of it is open" : "it ends and is not open%s",
           is_around ? checker_name(checker, frame->region) : "");
}

static void find_open(struct checker *checker, const struct replay_task *task, size_t location,
                      uint64_t ticks, const char *when) {
  const struct replay_frame *frame = &task->frames[task->frame_count - 1];
  describe(checker_find(checker, CHECK_PAIRING, location, ticks, frame->region, CHECK_NO_REGION),
           "it is still open at %s", when);
}

/* -- tasks -- */

static void find_task_fault(struct checker *checker, const struct trace_event *event,
                            const struct replay_task *task, const char *what, uint32_t generation) {
  uint32_t place = !task ? CHECK_NO_REGION : task->region != REPLAY_NONE ? task->region : task->create_region;
  struct check_finding *found =
      checker_find(checker, CHECK_TASK_STATE, event->location, event->ticks, place, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "task %u %s", generation, what);
}

static bool is_here(const struct checker *checker, const struct trace_event *event, uint32_t comm,
                    uint32_t thread) {
  uint64_t location = trace_comm_member(checker->trace, comm, thread);
  return location == TRACE_NO_REF || location == checker->trace->locations[event->location].ref;
}

static void before_create(struct checker *checker, const struct trace_event *event) {
  uint32_t comm = event->ThreadTaskCreate.comm, thread = event->ThreadTaskCreate.thread;
  uint32_t generation = event->ThreadTaskCreate.generation;
  const struct replay_task *known = replay_find_task(checker->replay, comm, thread, generation);
  if (known)
    find_task_fault(checker, event, known, "is created, and is there already", generation);
  else if (!is_here(checker, event, comm, thread))
    find_task_fault(checker, event, NULL, "is created by another thread than it names", generation);
}

static void before_switch(struct checker *checker, const struct trace_event *event) {
  uint32_t comm = event->ThreadTaskSwitch.comm, thread = event->ThreadTaskSwitch.thread;
  uint32_t generation = event->ThreadTaskSwitch.generation;
  const struct replay_task *task = replay_find_task(checker->replay, comm, thread, generation);
  if (generation == 0) {
    if (!is_here(checker, event, comm, thread))
      find_task_fault(checker, event, NULL, "is the implicit one of another thread", generation);
  } else if (!task) {
    find_task_fault(checker, event, NULL, "goes on, but is complete or was never created", generation);
  } else if (task->is_running && task->location != event->location) {
    find_task_fault(checker, event, task, "goes on while it runs on another thread", generation);
  }
}

static void before_complete(struct checker *checker, const struct trace_event *event) {
  uint32_t generation = event->ThreadTaskComplete.generation;
  const struct replay_task *task = replay_find_task(checker->replay, event->ThreadTaskComplete.comm,
                                                    event->ThreadTaskComplete.thread, generation);
  if (!task)
    find_task_fault(checker, event, NULL, "completes, but is complete already or was never created",
                    generation);
  else if (!task->has_started && trace_event_attribute_count(event) == 0)
    find_task_fault(checker, event, task, "completes without having started", generation);
  else if (task->frame_count > 0 && checks(checker, CHECK_PAIRING))
    find_open(checker, task, event->location, event->ticks, "the end of its task");
}

/* -- teams -- */

static void find_team_fault(struct checker *checker, const struct trace_event *event, const char *what) {
  const struct replay_team *team = replay_current_team(checker->replay, event->location);
  describe(checker_find(checker, CHECK_TEAM_STATE, event->location, event->ticks,
                        team ? team->region : CHECK_NO_REGION, CHECK_NO_REGION),
           "%s", what);
}

static bool is_member(const struct checker *checker, const struct trace_event *event, uint32_t ref) {
  const struct trace_comm *comm = trace_comm(checker->trace, ref);
  const struct trace_group *group = comm ? trace_group(checker->trace, comm->group) : NULL;
  for (uint32_t i = 0; group && i < group->member_count; i++)
    if (trace_comm_member(checker->trace, ref, i) == checker->trace->locations[event->location].ref)
      return true;
  return !group;
}

static void before_team_end(struct checker *checker, const struct trace_event *event) {
  const struct replay_team *team = replay_current_team(checker->replay, event->location);
  const struct replay_task *implicit = replay_implicit_task(checker->replay, event->location);
  bool is_known = team && team->comm != REPLAY_NONE;
  if (!team)
    find_team_fault(checker, event, "a team ends on a thread that is in none");
  else if (is_known && checker->trace->comms[team->comm].ref != event->ThreadTeamEnd.comm)
    find_team_fault(checker, event, "another team ends than the innermost one");
  else if (implicit != replay_current_task(checker->replay, event->location))
    find_team_fault(checker, event, "a team ends while an explicit task runs");
  else if (implicit->frame_count > 0 && checks(checker, CHECK_PAIRING))
    find_open(checker, implicit, event->location, event->ticks, "the end of its team");
}

static void before_join(struct checker *checker, const struct trace_event *event) {
  if (checker->locations[event->location].is_unforked)
    find_team_fault(checker, event, "threads join that were not forked");
}

static struct fork *last_fork(const struct location_state *here) {
  return here->fork_count > 0 ? &here->forks[here->fork_count - 1] : NULL;
}

static void drop_fork(struct checker *checker, size_t location) {
  const struct fork *fork = &checker->locations[location].forks[--checker->locations[location].fork_count];
  if (checks(checker, CHECK_FORK_JOIN))
    describe(checker_find(checker, CHECK_FORK_JOIN, location, fork->ticks, fork->region, CHECK_NO_REGION),
             "%s", "no join follows on its thread");
}

/* Only the innermost fork can be over: what comes in place of its join shows that there is none. */
static void drop_fork_that_is_over(struct checker *checker, size_t location) {
  const struct fork *fork = last_fork(&checker->locations[location]);
  if (fork && fork->is_over)
    drop_fork(checker, location);
}

static void push_fork(struct checker *checker, size_t location, uint64_t ticks) {
  struct location_state *here = &checker->locations[location];
  drop_fork_that_is_over(checker, location);
  array_reserve(&here->forks, &here->fork_capacity, here->fork_count + 1, sizeof *here->forks);
  here->forks[here->fork_count++] = (struct fork){ticks, CHECK_NO_REGION, false};
}

static void end_fork(struct checker *checker, size_t location) {
  drop_fork_that_is_over(checker, location);
  struct fork *fork = last_fork(&checker->locations[location]);
  if (fork)
    fork->is_over = true;
}

/* Its parallel region is the first that its thread enters. */
static void name_fork(const struct checker *checker, struct fork *fork, uint32_t ref) {
  if (fork && fork->region == CHECK_NO_REGION)
    fork->region = checker_region(checker, ref);
}

void check_form_always(struct checker *checker, const struct trace_event *event) {
  struct location_state *here = &checker->locations[event->location];
  if (event->kind == TRACE_Enter) {
    name_fork(checker, last_fork(here), event->Enter.region);
  } else if (event->kind == TRACE_ThreadFork) {
    push_fork(checker, event->location, event->ticks);
  } else if (event->kind == TRACE_ThreadTeamEnd) {
    end_fork(checker, event->location);
  } else if (event->kind == TRACE_ThreadJoin) {
    here->is_unforked = here->fork_count == 0;
    here->fork_count -= here->fork_count > 0;
  }
}

/* -- all -- */

static void check_time(struct checker *checker, const struct trace_event *event) {
  struct location_state *here = &checker->locations[event->location];
  bool goes_back = here->has_event && event->ticks < here->last_ticks;
  if (goes_back && checks(checker, CHECK_TIME)) {
    struct check_finding *found = checker_find(checker, CHECK_TIME, event->location, event->ticks,
                                               CHECK_NO_REGION, (uint32_t)event->location);
    if (found)
      snprintf(found->detail, sizeof found->detail, "event %llu is earlier than the one before",
               (unsigned long long)event->number);
  }
  if (here->last_ticks != event->ticks)
    here->prior_ticks = here->last_ticks;
  here->has_event = true;
  here->last_ticks = event->ticks;
}

static void check_task(struct checker *checker, const struct trace_event *event) {
  if (event->kind == TRACE_ThreadTaskCreate)
    before_create(checker, event);
  else if (event->kind == TRACE_ThreadTaskSwitch)
    before_switch(checker, event);
  else if (event->kind == TRACE_ThreadTaskComplete)
    before_complete(checker, event);
}

static void check_team(struct checker *checker, const struct trace_event *event) {
  if (event->kind == TRACE_ThreadJoin)
    before_join(checker, event);
  else if (event->kind == TRACE_ThreadTeamEnd)
    before_team_end(checker, event);
  else if (event->kind == TRACE_ThreadTeamBegin && !is_member(checker, event, event->ThreadTeamBegin.comm))
    find_team_fault(checker, event, "a thread begins a team that it is no member of");
}

void check_form_before_event(struct checker *checker, const struct trace_event *event) {
  check_time(checker, event);
  if (event->kind == TRACE_Enter)
    return;
  if (event->kind == TRACE_Leave) {
    if (checks(checker, CHECK_PAIRING))
      before_leave(checker, event);
    return;
  }
  if (checks(checker, CHECK_TASK_STATE))
    check_task(checker, event);
  if (checks(checker, CHECK_TEAM_STATE))
    check_team(checker, event);
}

/* -- at the end -- */

static void finish_location(struct checker *checker, size_t location) {
  const struct location_state *here = &checker->locations[location];
  const struct replay_task *task = replay_current_task(checker->replay, location);
  const struct replay_team *team = replay_current_team(checker->replay, location);
  if (task->frame_count > 0 && checks(checker, CHECK_PAIRING))
    find_open(checker, task, location, here->last_ticks, "the end of the trace");
  if (checks(checker, CHECK_TEAM_STATE) && team)
    describe(
        checker_find(checker, CHECK_TEAM_STATE, location, here->last_ticks, team->region, CHECK_NO_REGION),
        "%s", "a team is open at the end of the trace");
}

static void finish_task(struct checker *checker, const struct task_state *task) {
  if (task->id == 0 || !task->has_started)
    return;
  describe(checker_find(checker, CHECK_TASK_STATE,
                        task->suspended_on < checker->trace->location_count ? task->suspended_on : 0,
                        checker->trace->clock.first_ticks + checker->trace->clock.length_ticks,
                        checker_place_of(task), CHECK_NO_REGION),
           "%s", "a task began and is not complete at the end of the trace");
}

void check_form_finish(struct checker *checker) {
  for (size_t i = 0; i < checker->trace->location_count; i++)
    while (checker->locations[i].fork_count > 0)
      drop_fork(checker, i);
  if (checker->end_ticks != UINT64_MAX)
    return; /* whoever wrote the archive closed what was open */
  for (size_t i = 0; i < checker->trace->location_count; i++)
    finish_location(checker, i);
  for (size_t i = 0; checks(checker, CHECK_TASK_STATE) && i < checker->task_count; i++)
    finish_task(checker, &checker->tasks[i]);
}
