/* Threads: their beginnings and ends, slots that are used again, the tool's own records, samples, records
 * from nowhere. */
#include "correlated.h"

#include "unit.h"

static void a_thread_ends_before_the_process(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 20, OMPT_THREAD_other);
  FEED(1, 21, masked, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_WORK);
  FEED(1, 22, thread_end);
  FEED(0, 30, flush, .codeptr = AT_WORK);
  finish();
  expect_events(1, "20 Enter OpenMP worker, 21 Enter masked, 22 Leave masked, 22 Leave OpenMP worker");
  assert_int_equal(correlated()->figures.closed_by_writer, 0);
}

/* Another thread has its slot: what was open is closed as at the end of a process. */
static void a_thread_that_dies_without_an_event(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 20, OMPT_THREAD_other);
  FEED(1, 21, masked, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_WORK);
  begin_thread(1, 30, OMPT_THREAD_other);
  finish();
  expect_events(1, "20 Enter OpenMP worker, 21 Enter masked, 30 Leave masked, 30 Leave OpenMP worker");
  expect_events(2, "30 Enter OpenMP worker, 30 Leave OpenMP worker");
  assert_int_equal(correlated()->figures.closed_by_writer, 2 + 1);
}

static void events_that_were_lost(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 21, masked, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_WORK);
  FEED(0, 25, gap, .begin = 22, .lost = 17);
  finish();
  expect_events(0, "21 Enter masked, 22 Enter lost events {lost_events=17}, 22 Leave lost events, "
                   "25 Leave masked");
}

static void a_stall_lasts_from_its_begin(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 25, stall, .begin = 22);
  finish();
  expect_events(0, "22 BufferFlush 25");
}

/* Places are reported with the next region, once. */
static void placement_goes_on_the_region(void **state) {
  static const int32_t places[4] = {0, 1, 2, 6};
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  feed(0,
       &(const struct record_placement){
           .ticks = 19, .type = RECORD_placement, .place = 3, .processor = 5, .partition_places = 4},
       (const uint64_t *)(const void *)places, 2);
  begin_member(0, 21, fork_team(0, 20), 1, 0);
  end_member(0, 22, 0);
  join_team(0, 23);
  begin_member(0, 31, fork_team(0, 30), 1, 0);
  end_member(0, 32, 0);
  join_team(0, 33);
  finish();
  expect_events(0, "20 ThreadFork 2, 21 ThreadTeamBegin 0, "
                   "21 Enter parallel {partition=0-2,6 place=3 processor=5}, 22 Leave parallel, "
                   "22 ThreadTeamEnd 0, 23 ThreadJoin, 30 ThreadFork 2, 31 ThreadTeamBegin 0, "
                   "31 Enter parallel, 32 Leave parallel, 32 ThreadTeamEnd 0, 33 ThreadJoin");
}

static void records_of_unknown_types(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  feed(0, &(const struct record){.ticks = 20, .type = RECORD_TYPE_COUNT}, NULL, 0);
  feed(0, &(const struct record){.ticks = 21, .type = RECORD_TYPE_NONE}, NULL, 0);
  finish();
  expect_events(0, "");
  assert_int_equal(correlated()->figures.damaged, 2);
}

/* They move no event, and make no thread known. */
static void samples_are_between_events(void **state) {
  static const uint64_t path[4] = {0x5000, 0x5100, 0, 0};
  const struct record_sample sample = {
      .ticks = 22, .type = RECORD_sample, .state = 1, .processor_and_missed = UINT64_C(3) << 32 | 7};
  (void)state;
  feed(1, &sample, path, 4);
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 21, masked, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_WORK);
  feed(0, &sample, path, 4);
  FEED(0, 23, masked, .endpoint = ENDPOINT_END, .codeptr = AT_WORK);
  finish();
  expect_events(0, "21 Enter masked, "
                   "22 CallingContextSample 3 5 {thread_state=ompt_state_work_parallel sample_processor=7 "
                   "missed_samples=3}, "
                   "23 Leave masked");
  expect_events(1, "");
  assert_int_equal(correlated()->figures.samples_missed, 3);
}

/* The tool's and the device's records after the archive's end are counted. */
static void records_after_the_end_are_counted(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  finish();
  FEED(0, 20, flush, .codeptr = AT_WORK);
  FEED(0, 21, stall, .begin = 20);
  FEED(0, 22, device_buffer, .device = 1);
  expect_all_events(0, "10 ProgramBegin 0 0, 10 Enter unit, 10 Leave unit, 10 ProgramEnd 0");
  assert_int_equal(correlated()->figures.lost, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(a_thread_ends_before_the_process),
      CORRELATED(a_thread_that_dies_without_an_event),
      CORRELATED(events_that_were_lost),
      CORRELATED(a_stall_lasts_from_its_begin),
      CORRELATED(placement_goes_on_the_region),
      CORRELATED(records_of_unknown_types),
      CORRELATED(samples_are_between_events),
      CORRELATED(records_after_the_end_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
