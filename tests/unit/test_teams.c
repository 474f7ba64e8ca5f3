/* Parallel regions: nesting, members that come late, ends that are missing, two threads at the same time. */
#include "correlated.h"

#include "unit.h"

static void a_team_of_two(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_member(0, 21, team, 2, 0);
  begin_thread(1, 22, OMPT_THREAD_worker);
  begin_member(1, 23, team, 2, 1);
  begin_barrier(0, 30);
  begin_barrier(1, 31);
  end_barrier(0, 40);
  end_member(0, 40, 0);
  join_team(0, 41);
  end_barrier(1, 90);
  end_member(1, 90, 1);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 30 Enter implicit barrier, "
                   "40 Leave implicit barrier, 40 Leave parallel, 40 ThreadTeamEnd 0, 41 ThreadJoin");
  expect_events(1, "22 Enter OpenMP worker, 23 ThreadTeamBegin 0, 23 Enter parallel, "
                   "31 Enter implicit barrier, 40 Leave implicit barrier, 40 Leave parallel, "
                   "40 ThreadTeamEnd 0, 41 Leave OpenMP worker");
  assert_int_equal(correlated()->ignored_ends, 2); /* the worker's late reports */
}

/* Its thread's gap comes with the next record, which others' records may precede. */
static void a_worker_that_ends_before_the_primary_is_known_to_begin(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_thread(1, 22, OMPT_THREAD_worker);
  begin_member(1, 23, team, 2, 1);
  end_member(1, 40, 1);
  FEED(0, 50, gap, .begin = 21, .lost = 3);
  join_team(0, 50);
  finish();
  expect_events(
      0, "20 ThreadFork 2, 20 ThreadTeamBegin 0, 20 Enter parallel, 21 Enter lost events {lost_events=3}, "
         "21 Leave lost events, 50 Leave parallel, 50 ThreadTeamEnd 0, 50 ThreadJoin");
  expect_events(1, "22 Enter OpenMP worker, 23 ThreadTeamBegin 0, 23 Enter parallel, 40 Leave parallel, "
                   "40 ThreadTeamEnd 0, 50 Leave OpenMP worker");
}

/* The primary's end was another region's, whose begin was dropped. */
static void a_member_that_begins_after_the_end(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_member(0, 21, team, 2, 0);
  FEED(0, 26, gap, .begin = 25, .lost = 2);
  end_member(0, 26, 0);
  begin_thread(1, 30, OMPT_THREAD_worker);
  begin_member(1, 31, team, 2, 1);
  end_member(1, 40, 1);
  join_team(0, 50);
  finish();
  expect_events(1, "30 Enter OpenMP worker, 31 ThreadFork 2, 31 ThreadTeamBegin 1, 31 Enter parallel, "
                   "40 Leave parallel, 40 ThreadTeamEnd 1, 40 ThreadJoin, 50 Leave OpenMP worker");
}

/* The communicator names both: what the first has done waits for the second. */
static void a_member_that_begins_late(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_member(0, 21, team, 2, 0);
  begin_thread(1, 22, OMPT_THREAD_worker);
  FEED(0, 25, masked, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_WORK);
  FEED(0, 26, masked, .endpoint = ENDPOINT_END, .codeptr = AT_WORK);
  begin_member(1, 27, team, 2, 1);
  end_member(1, 28, 1);
  end_member(0, 30, 0);
  join_team(0, 31);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 25 Enter masked, "
                   "26 Leave masked, 30 Leave parallel, 30 ThreadTeamEnd 0, 31 ThreadJoin");
  expect_events(1, "22 Enter OpenMP worker, 27 ThreadTeamBegin 0, 27 Enter parallel, 28 Leave parallel, "
                   "28 ThreadTeamEnd 0, 31 Leave OpenMP worker");
}

static void a_member_that_never_begins_is_none_of_the_team(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_member(0, 21, team, 2, 0);
  end_member(0, 30, 0);
  join_team(0, 31);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 30 Leave parallel, "
                   "30 ThreadTeamEnd 0, 31 ThreadJoin");
}

static void teams_in_teams(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t outer = fork_team(0, 20);
  begin_member(0, 21, outer, 1, 0);
  uint64_t inner = fork_team(0, 22);
  begin_member(0, 23, inner, 1, 0);
  end_member(0, 30, 0);
  join_team(0, 31);
  end_member(0, 32, 0);
  join_team(0, 33);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 22 ThreadFork 2, "
                   "23 ThreadTeamBegin 1, 23 Enter parallel, 30 Leave parallel, 30 ThreadTeamEnd 1, "
                   "31 ThreadJoin, 32 Leave parallel, 32 ThreadTeamEnd 0, 33 ThreadJoin");
}

/* The next region of the same task, and the end of the process: both end what lacks its end. */
static void ends_that_are_missing(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_member(0, 21, fork_team(0, 20), 1, 0);
  FEED(0, 22, implicit_task_end, .endpoint = ENDPOINT_END, .task_flags = OMPT_TASK_implicit);
  begin_member(0, 31, fork_team(0, 30), 1, 0);
  fork_team(0, 32);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 22 Leave parallel, "
                   "22 ThreadTeamEnd 0, 30 ThreadJoin, 30 ThreadFork 2, 31 ThreadTeamBegin 0, "
                   "31 Enter parallel, 32 ThreadFork 2, 32 ThreadTeamBegin 1, 32 Enter parallel, "
                   "32 Leave parallel, 32 ThreadTeamEnd 1, 32 ThreadJoin, 32 Leave parallel, "
                   "32 ThreadTeamEnd 0, 32 ThreadJoin");
  assert_true(correlated()->figures.closed_by_writer > 0);
}

static void ends_without_a_beginning(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  join_team(0, 20);
  FEED(0, 21, implicit_task_end, .endpoint = ENDPOINT_END, .task_flags = OMPT_TASK_implicit);
  FEED(0, 22, implicit_task_end, .endpoint = 76, .task_flags = OMPT_TASK_implicit);
  finish();
  expect_events(0, "22 Enter unknown {kind=76}, 22 Leave unknown");
  assert_int_equal(correlated()->ignored_ends, 2);
}

/* A parallel_begin that was dropped: the members show that there is a team. */
static void a_team_of_which_only_members_are_known(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 10, OMPT_THREAD_worker);
  begin_member(1, 20, 4711, 1, 0);
  end_member(1, 30, 0);
  finish();
  expect_events(1, "10 Enter OpenMP worker, 20 ThreadFork 1, 20 ThreadTeamBegin 0, 20 Enter parallel, "
                   "30 Leave parallel, 30 ThreadTeamEnd 0, 30 ThreadJoin, 30 Leave OpenMP worker");
}

/* Of three, one's begin was dropped too, and one is at work when the process ends. */
static void a_team_of_which_some_members_are_known(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 10, OMPT_THREAD_worker);
  begin_thread(2, 10, OMPT_THREAD_worker);
  begin_member(1, 20, 4711, 3, 1);
  begin_member(2, 21, 4711, 3, 2);
  FEED(1, 22, flush, .codeptr = AT_WORK);
  finish();
  expect_events(1, "10 Enter OpenMP worker, 20 ThreadFork 3, 20 ThreadTeamBegin 0, 20 Enter parallel, "
                   "22 Enter flush, 22 Leave flush, 22 Leave parallel, 22 ThreadTeamEnd 0, 22 ThreadJoin, "
                   "22 Leave OpenMP worker");
  expect_events(2, "10 Enter OpenMP worker, 21 ThreadFork 3, 21 ThreadTeamBegin 1, 21 Enter parallel, "
                   "22 Leave parallel, 22 ThreadTeamEnd 1, 22 ThreadJoin, 22 Leave OpenMP worker");
}

static void all_at_the_same_time(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 10, OMPT_THREAD_worker);
  uint64_t team = fork_team(0, 10);
  begin_member(1, 10, team, 2, 1);
  begin_member(0, 10, team, 2, 0);
  end_member(0, 10, 0);
  join_team(0, 10);
  finish();
  expect_events(0, "10 ThreadFork 2, 10 ThreadTeamBegin 0, 10 Enter parallel, 10 Leave parallel, "
                   "10 ThreadTeamEnd 0, 10 ThreadJoin");
  expect_events(1, "10 Enter OpenMP worker, 10 ThreadTeamBegin 0, 10 Enter parallel, 10 Leave parallel, "
                   "10 ThreadTeamEnd 0, 10 Leave OpenMP worker");
}

/* A record that is older than the thread's last one: its time is moved. */
static void time_never_decreases(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 20);
  begin_member(0, 15, team, 1, 0);
  end_member(0, 12, 0);
  join_team(0, 30);
  finish();
  expect_all_events(0,
                    "10 ProgramBegin 0 0, 10 Enter unit, 20 ThreadFork 2, 20 ThreadTeamBegin 0, "
                    "20 Enter parallel, 20 Leave parallel, 20 ThreadTeamEnd 0, 30 ThreadJoin, 30 Leave unit, "
                    "30 ProgramEnd 0");
}

static void a_league_is_no_team(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t league = FEED(0, 20, parallel_begin, .requested = 1, .codeptr = AT_PARALLEL,
                         .parallel_flags = OMPT_PARALLEL_league);
  FEED(0, 21, implicit_task_begin, .parallel = league, .actual_and_index = 1,
       .task_flags = OMPT_TASK_initial);
  FEED(0, 30, implicit_task_end, .endpoint = ENDPOINT_END, .task_flags = OMPT_TASK_initial);
  join_team(0, 31);
  finish();
  expect_events(0,
                "20 Enter teams, 21 Enter teams initial task {team_number=0}, 30 Leave teams initial task, "
                "31 Leave teams");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(a_team_of_two),
      CORRELATED(a_member_that_begins_late),
      CORRELATED(a_worker_that_ends_before_the_primary_is_known_to_begin),
      CORRELATED(a_member_that_begins_after_the_end),
      CORRELATED(a_member_that_never_begins_is_none_of_the_team),
      CORRELATED(teams_in_teams),
      CORRELATED(ends_that_are_missing),
      CORRELATED(ends_without_a_beginning),
      CORRELATED(a_team_of_which_only_members_are_known),
      CORRELATED(a_team_of_which_some_members_are_known),
      CORRELATED(all_at_the_same_time),
      CORRELATED(time_never_decreases),
      CORRELATED(a_league_is_no_team),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
