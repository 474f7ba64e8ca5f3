/* Worksharing and synchronisation: nesting, ends that are missing, undecided barriers, unknown kinds. */
#include "correlated.h"

#include <string.h>

#include "unit.h"

static void work(uint64_t at, unsigned endpoint, uint32_t kind) {
  FEED(0, at, work, .endpoint = (uint8_t)endpoint, .kind = kind, .count = 8, .codeptr = AT_WORK);
}

static void sync_region(uint64_t at, unsigned endpoint, uint32_t kind) {
  FEED(0, at, sync_region, .endpoint = (uint8_t)endpoint, .kind = kind, .codeptr = AT_WORK);
}

static void sync_wait(uint64_t at, unsigned endpoint, uint32_t kind) {
  FEED(0, at, sync_region_wait, .endpoint = (uint8_t)endpoint, .kind = kind, .codeptr = AT_WORK);
}

static void a_loop_with_chunks_and_a_barrier(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  work(20, ENDPOINT_BEGIN, OMPT_WORK_loop_dynamic);
  FEED(0, 21, dispatch, .start = 0, .iterations = 4, .kind = OMPT_DISPATCH_ws_loop_chunk);
  FEED(0, 22, dispatch, .start = 4, .iterations = 4, .kind = OMPT_DISPATCH_ws_loop_chunk);
  work(23, ENDPOINT_END, OMPT_WORK_loop_dynamic);
  sync_region(24, ENDPOINT_BEGIN, OMPT_SYNC_REGION_barrier_implicit_workshare);
  sync_wait(25, ENDPOINT_BEGIN, OMPT_SYNC_REGION_barrier_implicit_workshare);
  sync_wait(26, ENDPOINT_END, OMPT_SYNC_REGION_barrier_implicit_workshare);
  sync_region(27, ENDPOINT_END, OMPT_SYNC_REGION_barrier_implicit_workshare);
  finish();
  expect_events(0, "20 Enter for {iterations=8}, 21 Enter loop chunk {chunk_start=0 chunk_size=4}, "
                   "22 Leave loop chunk, 22 Enter loop chunk {chunk_start=4 chunk_size=4}, "
                   "23 Leave loop chunk, 23 Leave for, 24 Enter implicit barrier, 25 Enter barrier wait, "
                   "26 Leave barrier wait, 27 Leave implicit barrier");
}

/* gcc's single has no end: the barrier ends it. */
static void work_that_never_ends(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  work(20, ENDPOINT_BEGIN, OMPT_WORK_single_executor);
  sync_region(21, ENDPOINT_BEGIN, OMPT_SYNC_REGION_barrier_implicit);
  sync_region(22, ENDPOINT_END, OMPT_SYNC_REGION_barrier_implicit);
  finish();
  expect_events(0, "20 Enter single {iterations=8}, 20 Enter single sblock, 21 Leave single sblock, "
                   "21 Leave single, 21 Enter implicit barrier, 22 Leave implicit barrier");
}

static void a_cancelled_loop_ends_at_its_cancellation(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  work(20, ENDPOINT_BEGIN, OMPT_WORK_loop);
  FEED(0, 21, cancel, .cancel_flags = OMPT_CANCEL_loop | OMPT_CANCEL_activated, .codeptr = AT_WORK);
  finish();
  expect_events(0, "20 Enter for {iterations=8}, 21 Enter cancel {cancel_flags=20}, 21 Leave cancel, "
                   "21 Leave for");
}

/* A taskloop may be within other work, which goes on. */
static void a_taskloop_in_a_single(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  work(20, ENDPOINT_BEGIN, OMPT_WORK_single_executor);
  work(21, ENDPOINT_BEGIN, OMPT_WORK_taskloop);
  work(22, ENDPOINT_END, OMPT_WORK_taskloop);
  work(23, ENDPOINT_END, OMPT_WORK_single_executor);
  finish();
  expect_events(0,
                "20 Enter single {iterations=8}, 20 Enter single sblock, 21 Enter taskloop {iterations=8}, "
                "22 Leave taskloop, 23 Leave single sblock, 23 Leave single");
}

static void ends_without_a_beginning(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  work(20, ENDPOINT_END, OMPT_WORK_loop);
  sync_region(21, ENDPOINT_END, OMPT_SYNC_REGION_taskwait);
  sync_wait(22, ENDPOINT_END, OMPT_SYNC_REGION_taskwait);
  FEED(0, 23, masked, .endpoint = ENDPOINT_END);
  finish();
  expect_events(0, "");
  assert_int_equal(correlated()->ignored_ends, 3);
}

static void unknown_values_have_their_number(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  work(20, ENDPOINT_BEGIN, 99);
  work(21, ENDPOINT_END, 99);
  sync_region(22, ENDPOINT_BEGIN, 98);
  sync_region(23, ENDPOINT_END, 98);
  work(24, 76, OMPT_WORK_loop);
  sync_region(25, 76, OMPT_SYNC_REGION_barrier_explicit);
  FEED(0, 26, dispatch, .iterations = 1, .kind = 97);
  finish();
  expect_events(0, "20 Enter unknown {kind=99 iterations=8}, 21 Leave unknown, 22 Enter unknown {kind=98}, "
                   "23 Leave unknown, 24 Enter unknown {kind=76}, 24 Leave unknown, "
                   "25 Enter unknown {kind=76}, 25 Leave unknown, "
                   "26 Enter unknown {chunk_start=0 chunk_size=1}, 26 Leave unknown");
}

/* Thread 1 is the primary of a team whose worker, thread 0, comes to an implicit barrier. */
static void worker_in_a_barrier(void) {
  begin_thread(1, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(1, 20);
  begin_member(1, 21, team, 2, 0);
  begin_thread(0, 21, OMPT_THREAD_worker);
  begin_member(0, 21, team, 2, 1);
  sync_region(22, ENDPOINT_BEGIN, OMPT_SYNC_REGION_barrier_implicit);
}

/* A worker in the barrier that may be its region's last, before libomp 19: a further record decides that it
 * was not. */
static void a_barrier_that_was_not_the_last(void **state) {
  (void)state;
  worker_in_a_barrier();
  sync_region(23, ENDPOINT_END, OMPT_SYNC_REGION_barrier_implicit);
  FEED(0, 24, flush, .codeptr = AT_WORK);
  end_member(1, 30, 0);
  join_team(1, 31);
  finish();
  expect_events(1, "21 Enter OpenMP worker, 21 ThreadTeamBegin 0, 21 Enter parallel, "
                   "22 Enter implicit barrier, 23 Leave implicit barrier, 24 Enter flush, 24 Leave flush, "
                   "30 Leave parallel, 30 ThreadTeamEnd 0, 31 Leave OpenMP worker");
}

/* It was the last: the worker left it when the primary did, and what is reported late is ignored. A wait for
 * room in the ring decides nothing. */
static void the_last_barrier_ends_with_the_primary(void **state) {
  (void)state;
  worker_in_a_barrier();
  FEED(1, 23, sync_region, .endpoint = ENDPOINT_BEGIN, .kind = OMPT_SYNC_REGION_barrier_implicit);
  FEED(1, 25, sync_region, .endpoint = ENDPOINT_END, .kind = OMPT_SYNC_REGION_barrier_implicit);
  sync_region(40, ENDPOINT_END, OMPT_SYNC_REGION_barrier_implicit);
  FEED(0, 42, stall, .begin = 41);
  end_member(1, 44, 0);
  join_team(1, 45);
  end_member(0, 60, 1);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, 21 Enter parallel, 23 Enter implicit barrier, "
                   "25 Leave implicit barrier, 44 Leave parallel, 44 ThreadTeamEnd 0, 45 ThreadJoin");
  expect_events(1, "21 Enter OpenMP worker, 21 ThreadTeamBegin 0, 21 Enter parallel, "
                   "22 Enter implicit barrier, 25 Leave implicit barrier, 25 Leave parallel, "
                   "25 ThreadTeamEnd 0, 41 BufferFlush 42, 45 Leave OpenMP worker");
}

static void errors_have_their_messages(void **state) {
  static const char text[8] = "sorry\xff!";
  uint64_t word;
  (void)state;
  memcpy(&word, text, sizeof word);
  begin_thread(0, 10, OMPT_THREAD_initial);
  feed(0,
       &(const struct record_error){
           .ticks = 20, .type = RECORD_error, .length = 7, .severity = OMPT_SEVERITY_warning},
       &word, 1);
  FEED(0, 21, error, .length = 4711, .severity = 99);
  finish();
  expect_events(0, "20 Enter error {error_message=sorry?!}, 20 Leave error, 21 Enter error {error_message=}, "
                   "21 Leave error");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(a_loop_with_chunks_and_a_barrier),
      CORRELATED(work_that_never_ends),
      CORRELATED(a_cancelled_loop_ends_at_its_cancellation),
      CORRELATED(a_taskloop_in_a_single),
      CORRELATED(ends_without_a_beginning),
      CORRELATED(unknown_values_have_their_number),
      CORRELATED(a_barrier_that_was_not_the_last),
      CORRELATED(the_last_barrier_ends_with_the_primary),
      CORRELATED(errors_have_their_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
