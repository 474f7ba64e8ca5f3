/* Pauses: what begins in one is written at its end if it is still open, what ends in one leaves no trace. */
#include "correlated.h"

#include "unit.h"

static void control(uint32_t slot, uint64_t at, uint64_t command) {
  FEED(slot, at, control_tool, .command = command, .codeptr = AT_WORK);
}

static void masked(uint32_t slot, uint64_t at, unsigned endpoint) {
  FEED(slot, at, masked, .endpoint = (uint8_t)endpoint, .codeptr = AT_WORK);
}

static void regions_within_the_pause_leave_no_events(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  control(0, 20, OMPT_CONTROL_TOOL_pause);
  masked(0, 21, ENDPOINT_BEGIN);
  FEED(0, 22, stall, .begin = 21);
  masked(0, 23, ENDPOINT_END);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  finish();
  expect_events(0,
                "20 Enter omp_control_tool {command=2 modifier=0}, 20 Leave omp_control_tool {argument=0}, "
                "20 MeasurementOnOff 2, 30 MeasurementOnOff 1, "
                "30 Enter omp_control_tool {command=1 modifier=0}, 30 Leave omp_control_tool {argument=0}");
  assert_int_equal(correlated()->figures.pauses, 1);
}

static void regions_from_before_the_pause_end_in_it(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  masked(0, 19, ENDPOINT_BEGIN);
  control(0, 20, OMPT_CONTROL_TOOL_pause);
  masked(0, 25, ENDPOINT_END);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  finish();
  expect_events(0, "19 Enter masked, 20 Enter omp_control_tool {command=2 modifier=0}, "
                   "20 Leave omp_control_tool {argument=0}, 20 MeasurementOnOff 2, 25 Leave masked, "
                   "30 MeasurementOnOff 1, 30 Enter omp_control_tool {command=1 modifier=0}, "
                   "30 Leave omp_control_tool {argument=0}");
}

/* Its parallel_begin was dropped in the pause: the thread's part is a team of one. */
static void a_part_of_a_team_is_shown_at_its_end(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 11, OMPT_THREAD_worker);
  control(0, 20, OMPT_CONTROL_TOOL_pause);
  begin_member(1, 22, UINT64_C(1) << 39, 2, 1);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  end_member(1, 32, 1);
  finish();
  expect_events(1, "11 Enter OpenMP worker, 20 MeasurementOnOff 2, 30 MeasurementOnOff 1, 30 ThreadFork 2, "
                   "30 ThreadTeamBegin 0, 30 Enter parallel, 32 Leave parallel, 32 ThreadTeamEnd 0, "
                   "32 ThreadJoin, 32 Leave OpenMP worker");
}

static void regions_open_at_its_end_are_entered_there(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  control(0, 20, OMPT_CONTROL_TOOL_pause);
  uint64_t team = fork_team(0, 21);
  begin_member(0, 22, team, 1, 0);
  FEED(0, 23, mutex_acquire, .wait_id = 0x10, .flags = OMPT_MUTEX_critical, .codeptr = AT_LOCK);
  FEED(0, 24, mutex_acquired, .wait_id = 0x10, .kind = OMPT_MUTEX_critical, .codeptr = AT_LOCK);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  FEED(0, 31, mutex_released, .wait_id = 0x10, .kind = OMPT_MUTEX_critical, .codeptr = AT_LOCK);
  end_member(0, 32, 0);
  join_team(0, 33);
  finish();
  expect_events(0,
                "20 Enter omp_control_tool {command=2 modifier=0}, 20 Leave omp_control_tool {argument=0}, "
                "20 MeasurementOnOff 2, 30 MeasurementOnOff 1, 30 ThreadFork 2, 30 ThreadTeamBegin 0, "
                "30 Enter parallel, 30 Enter critical, 30 ThreadAcquireLock 0 1 {lock_address=16}, "
                "30 Enter critical sblock, 30 Enter omp_control_tool {command=1 modifier=0}, "
                "30 Leave omp_control_tool {argument=0}, 31 Leave critical sblock, "
                "31 ThreadReleaseLock 0 1, 31 Leave critical, 32 Leave parallel, 32 ThreadTeamEnd 0, "
                "33 ThreadJoin");
}

/* A worker is quicker than its team's primary, and pauses before that has started. */
static void the_primary_forked_before_the_pause(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 11, OMPT_THREAD_worker);
  uint64_t team = fork_team(0, 20);
  begin_member(1, 21, team, 2, 1);
  control(1, 22, OMPT_CONTROL_TOOL_pause);
  begin_member(0, 23, team, 2, 0);
  control(1, 30, OMPT_CONTROL_TOOL_start);
  end_member(0, 40, 0);
  end_member(1, 40, 1);
  join_team(0, 41);
  finish();
  expect_events(0, "20 ThreadFork 2, 22 MeasurementOnOff 2, 23 ThreadTeamBegin 0, 23 Enter parallel, "
                   "30 MeasurementOnOff 1, 40 Leave parallel, 40 ThreadTeamEnd 0, 41 ThreadJoin");
}

/* All threads pause at the time of the thread that pauses. */
static void the_pause_of_one_thread_is_that_of_all(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 11, OMPT_THREAD_other);
  control(0, 20, OMPT_CONTROL_TOOL_pause);
  masked(1, 20, ENDPOINT_BEGIN);
  begin_thread(2, 25, OMPT_THREAD_other);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  masked(1, 30, ENDPOINT_END);
  finish();
  expect_events(1, "11 Enter OpenMP worker, 20 MeasurementOnOff 2, 30 MeasurementOnOff 1, 30 Enter masked, "
                   "30 Leave masked, 30 Leave OpenMP worker");
  expect_events(2, "25 MeasurementOnOff 2, 30 MeasurementOnOff 1, 30 Enter OpenMP worker, "
                   "30 Leave OpenMP worker");
}

/* Created in the pause, run after it: created where its creator has come to. */
static void a_task_from_a_pause(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  control(0, 20, OMPT_CONTROL_TOOL_pause);
  uint64_t task = FEED(0, 21, task_create, .codeptr = AT_TASK, .task_flags = OMPT_TASK_explicit);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  FEED(0, 31, task_schedule, .next_task = task, .prior_status = OMPT_TASK_STATUS_switch);
  FEED(0, 32, task_schedule, .prior_task = task, .prior_status = OMPT_TASK_STATUS_complete);
  finish();
  expect_events(0,
                "20 Enter omp_control_tool {command=2 modifier=0}, 20 Leave omp_control_tool {argument=0}, "
                "20 MeasurementOnOff 2, 30 MeasurementOnOff 1, 30 Enter create task, "
                "30 ThreadTaskCreate 0 0 1, 30 Leave create task, "
                "30 Enter omp_control_tool {command=1 modifier=0}, 30 Leave omp_control_tool {argument=0}, "
                "31 ThreadTaskSwitch 0 0 1, 31 Enter task, 32 Leave task, 32 ThreadTaskComplete 0 0 1, "
                "32 ThreadTaskSwitch 0 0 0");
}

static void nothing_follows_the_end(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  control(0, 20, OMPT_CONTROL_TOOL_end);
  control(0, 21, OMPT_CONTROL_TOOL_start);
  masked(0, 22, ENDPOINT_BEGIN);
  finish();
  expect_events(0,
                "20 Enter omp_control_tool {command=4 modifier=0}, 20 Leave omp_control_tool {argument=0}, "
                "20 MeasurementOnOff 2");
}

static void a_program_that_starts_paused(void **state) {
  (void)state;
  correlated()->starts_paused = true;
  begin_thread(0, 10, OMPT_THREAD_initial);
  masked(0, 20, ENDPOINT_BEGIN);
  masked(0, 21, ENDPOINT_END);
  control(0, 30, OMPT_CONTROL_TOOL_start);
  finish();
  expect_all_events(
      0, "10 ProgramBegin 0 0, 10 Enter unit, 10 MeasurementOnOff 2, 30 MeasurementOnOff 1, "
         "30 Enter omp_control_tool {command=1 modifier=0}, 30 Leave omp_control_tool {argument=0}, "
         "30 Leave unit, 30 ProgramEnd 0");
}

/* A command of somebody else's, and one without its further words. */
static void unknown_commands_are_ignored(void **state) {
  static const uint64_t words[2] = {7, 8};
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  feed(0, &(const struct record_control_tool){.ticks = 20, .type = RECORD_control_tool, .command = 99}, words,
       2);
  control(0, 21, 98);
  finish();
  expect_events(0,
                "20 Enter omp_control_tool {command=99 modifier=7}, "
                "20 Leave omp_control_tool {argument=8}, "
                "21 Enter omp_control_tool {command=98 modifier=0}, 21 Leave omp_control_tool {argument=0}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(regions_within_the_pause_leave_no_events),
      CORRELATED(regions_from_before_the_pause_end_in_it),
      CORRELATED(regions_open_at_its_end_are_entered_there),
      CORRELATED(a_part_of_a_team_is_shown_at_its_end),
      CORRELATED(the_primary_forked_before_the_pause),
      CORRELATED(the_pause_of_one_thread_is_that_of_all),
      CORRELATED(a_task_from_a_pause),
      CORRELATED(nothing_follows_the_end),
      CORRELATED(a_program_that_starts_paused),
      CORRELATED(unknown_commands_are_ignored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
