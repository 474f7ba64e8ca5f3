/* Explicit tasks: nesting, tasks that move, what runtimes leave out, values that no specification names. */
#include "correlated.h"

#include "unit.h"

static uint64_t create(uint32_t slot, uint64_t at, uint32_t flags) {
  return FEED(slot, at, task_create, .codeptr = AT_TASK, .task_flags = OMPT_TASK_explicit | flags);
}

static void schedule(uint32_t slot, uint64_t at, uint64_t prior, uint64_t next, uint32_t status) {
  FEED(slot, at, task_schedule, .prior_task = prior, .next_task = next, .prior_status = status);
}

static void a_task_runs_and_completes(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t task = create(0, 20, 0);
  schedule(0, 21, 0, task, OMPT_TASK_STATUS_switch);
  schedule(0, 30, task, 0, OMPT_TASK_STATUS_complete);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 ThreadTaskSwitch 0 0 1, 21 Enter task, 30 Leave task, 30 ThreadTaskComplete 0 0 1, "
                   "30 ThreadTaskSwitch 0 0 0");
}

static void an_inner_task_runs_within_an_outer_one(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t outer = create(0, 20, 0);
  schedule(0, 21, 0, outer, OMPT_TASK_STATUS_switch);
  uint64_t inner = create(0, 22, 0);
  schedule(0, 23, outer, inner, OMPT_TASK_STATUS_yield);
  schedule(0, 24, inner, outer, OMPT_TASK_STATUS_complete);
  schedule(0, 25, outer, 0, OMPT_TASK_STATUS_complete);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 ThreadTaskSwitch 0 0 1, 21 Enter task, 22 Enter create task, "
                   "22 ThreadTaskCreate 0 0 2, 22 Leave create task, "
                   "23 ThreadTaskSwitch 0 0 2 {prior_task_status=yield}, 23 Enter task, 24 Leave task, "
                   "24 ThreadTaskComplete 0 0 2, 24 ThreadTaskSwitch 0 0 1, 25 Leave task, "
                   "25 ThreadTaskComplete 0 0 1, 25 ThreadTaskSwitch 0 0 0");
}

/* Its region is left where the task goes on, by the other thread. */
static void an_untied_task_moves_with_its_regions(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_member(0, 21, team, 2, 0);
  begin_thread(1, 21, OMPT_THREAD_worker);
  begin_member(1, 21, team, 2, 1);
  uint64_t task = create(0, 22, OMPT_TASK_untied);
  schedule(0, 23, 0, task, OMPT_TASK_STATUS_switch);
  FEED(0, 24, masked, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_WORK);
  schedule(0, 25, task, 0, OMPT_TASK_STATUS_yield);
  schedule(1, 26, 0, task, OMPT_TASK_STATUS_switch);
  FEED(1, 27, masked, .endpoint = ENDPOINT_END, .codeptr = AT_WORK);
  schedule(1, 28, task, 0, OMPT_TASK_STATUS_complete);
  end_member(0, 30, 0);
  join_team(0, 31);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 22 Enter create task, "
                   "22 ThreadTaskCreate 0 0 1, 22 Leave create task, 23 ThreadTaskSwitch 0 0 1, "
                   "23 Enter task untied, 24 Enter masked, "
                   "25 ThreadTaskSwitch 0 0 0 {prior_task_status=yield}, 30 Leave parallel, "
                   "30 ThreadTeamEnd 0, 31 ThreadJoin");
  expect_events(1, "21 Enter OpenMP worker, 21 ThreadTeamBegin 0, 21 Enter parallel, "
                   "26 ThreadTaskSwitch 0 0 1, 27 Leave masked, 28 Leave task untied, "
                   "28 ThreadTaskComplete 0 0 1, 28 ThreadTaskSwitch 0 1 0, 30 Leave parallel, "
                   "30 ThreadTeamEnd 0, 31 Leave OpenMP worker");
}

/* Cancelled before it has started: complete, and of no region. */
static void a_task_cancelled_before_its_start_is_complete(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t task = create(0, 20, 0);
  schedule(0, 21, task, 0, OMPT_TASK_STATUS_cancel);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 ThreadTaskComplete 0 0 1 {prior_task_status=cancel}");
}

static void a_detached_task_is_fulfilled(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t task = create(0, 20, 0);
  schedule(0, 21, 0, task, OMPT_TASK_STATUS_switch);
  schedule(0, 22, task, 0, OMPT_TASK_STATUS_detach);
  schedule(0, 23, task, 0, OMPT_TASK_STATUS_late_fulfill);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 ThreadTaskSwitch 0 0 1, 21 Enter task, 22 Leave task, "
                   "22 ThreadTaskComplete 0 0 1 {prior_task_status=detach}, 22 ThreadTaskSwitch 0 0 0, "
                   "23 Enter omp_fulfill_event {prior_task_status=late_fulfill fulfilled_task=1}, "
                   "23 Leave omp_fulfill_event");
}

/* The end of the process leaves its regions; the task does not complete. */
static void a_task_that_is_suspended_at_the_end(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t task = create(0, 20, 0);
  schedule(0, 21, 0, task, OMPT_TASK_STATUS_switch);
  schedule(0, 22, task, 0, OMPT_TASK_STATUS_yield);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 ThreadTaskSwitch 0 0 1, 21 Enter task, "
                   "22 ThreadTaskSwitch 0 0 0 {prior_task_status=yield}, 22 ThreadTaskSwitch 0 0 1, "
                   "22 Leave task, 22 ThreadTaskSwitch 0 0 0");
}

static void a_task_whose_creation_was_lost(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  schedule(0, 20, 0, 4711, OMPT_TASK_STATUS_switch);
  schedule(0, 21, 4711, 0, OMPT_TASK_STATUS_complete);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "20 ThreadTaskSwitch 0 0 1, 20 Enter task, 21 Leave task, 21 ThreadTaskComplete 0 0 1, "
                   "21 ThreadTaskSwitch 0 0 0");
}

static void unknown_values_have_their_number(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t task = create(0, 20, 0);
  schedule(0, 21, 0, task, 99);
  FEED(0, 22, dependence, .task = task, .variable = 0x10, .dependence_type = 99);
  schedule(0, 23, task, 0, OMPT_TASK_STATUS_complete);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 ThreadTaskSwitch 0 0 1 {prior_task_status=status 99}, 21 Enter task, "
                   "22 Enter depend unknown {dependence_address=16 kind=99}, 22 Leave depend unknown, "
                   "23 Leave task, 23 ThreadTaskComplete 0 0 1, 23 ThreadTaskSwitch 0 0 0");
}

static void dependences_name_their_tasks(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t first = create(0, 20, 0), second = create(0, 21, 0);
  FEED(0, 22, dependence, .task = first, .variable = 0x10, .dependence_type = OMPT_DEPENDENCE_out);
  FEED(0, 23, task_dependence, .source_task = first, .sink_task = second);
  finish();
  expect_events(0, "20 Enter create task, 20 ThreadTaskCreate 0 0 1, 20 Leave create task, "
                   "21 Enter create task, 21 ThreadTaskCreate 0 0 2, 21 Leave create task, "
                   "22 Enter depend out {dependence_address=16}, 22 Leave depend out, "
                   "23 Enter task dependence {source_task=1 sink_task=2}, 23 Leave task dependence");
}

/* Of two threads at one time, the one that was merged first. */
static void tasks_at_the_same_time(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 10);
  begin_member(0, 10, team, 2, 0);
  begin_thread(1, 10, OMPT_THREAD_worker);
  begin_member(1, 10, team, 2, 1);
  uint64_t first = create(0, 10, 0), second = create(1, 10, 0);
  schedule(0, 10, 0, second, OMPT_TASK_STATUS_switch);
  schedule(1, 10, 0, first, OMPT_TASK_STATUS_switch);
  schedule(0, 10, second, 0, OMPT_TASK_STATUS_complete);
  schedule(1, 10, first, 0, OMPT_TASK_STATUS_complete);
  end_member(0, 10, 0);
  join_team(0, 10);
  finish();
  expect_events(0, "10 ThreadFork 2, 10 ThreadTeamBegin 0, 10 Enter parallel, 10 Enter create task, "
                   "10 ThreadTaskCreate 0 0 1, 10 Leave create task, 10 ThreadTaskSwitch 0 1 1, "
                   "10 Enter task, 10 Leave task, 10 ThreadTaskComplete 0 1 1, 10 ThreadTaskSwitch 0 0 0, "
                   "10 Leave parallel, 10 ThreadTeamEnd 0, 10 ThreadJoin");
  expect_events(1, "10 Enter OpenMP worker, 10 ThreadTeamBegin 0, 10 Enter parallel, 10 Enter create task, "
                   "10 ThreadTaskCreate 0 1 1, 10 Leave create task, 10 ThreadTaskSwitch 0 0 1, "
                   "10 Enter task, 10 Leave task, 10 ThreadTaskComplete 0 0 1, 10 ThreadTaskSwitch 0 1 0, "
                   "10 Leave parallel, 10 ThreadTeamEnd 0, 10 Leave OpenMP worker");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(a_task_runs_and_completes),
      CORRELATED(an_inner_task_runs_within_an_outer_one),
      CORRELATED(an_untied_task_moves_with_its_regions),
      CORRELATED(a_task_cancelled_before_its_start_is_complete),
      CORRELATED(a_detached_task_is_fulfilled),
      CORRELATED(a_task_that_is_suspended_at_the_end),
      CORRELATED(a_task_whose_creation_was_lost),
      CORRELATED(unknown_values_have_their_number),
      CORRELATED(dependences_name_their_tasks),
      CORRELATED(tasks_at_the_same_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
