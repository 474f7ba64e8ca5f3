/* What devices report themselves: their times on the host's clock, in order, on streams. */
#include <string.h>

#include "correlated.h"

#include "unit.h"

enum { DEVICE = 1, TARGET = 77, HOST_OP = 9, ARRIVAL = 300, RECORD_MORE = 6 };

static void clocks(uint64_t at, uint64_t host, uint64_t device) {
  feed(0,
       &(const struct record_device_clock){
           .ticks = at, .type = RECORD_device_clock, .device_time = device, .device = DEVICE},
       &host, 1);
}

/* Ten of the device's ticks are one of the host's; its 0 is the host's 10. */
static void begin_device(void) {
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 11, device_initialize, .device = DEVICE);
  clocks(100, 100, 900);
  clocks(200, 200, 1900);
}

static void kernel(uint64_t begin, uint64_t end, uint64_t host_op) {
  const uint64_t words[RECORD_MORE] = {DEVICE, TARGET, host_op, 4, 2, end};
  feed(0,
       &(const struct record_device_record){.ticks = ARRIVAL,
                                            .type = RECORD_device_record,
                                            .time = begin,
                                            .thread = 5,
                                            .record_type = OMPT_CALLBACK_target_submit},
       words, RECORD_MORE);
}

static void end_buffer(void) {
  FEED(0, ARRIVAL + 1, device_buffer, .device = DEVICE);
}

static void times_are_the_hosts(void **state) {
  (void)state;
  begin_device();
  kernel(1000, 1500, HOST_OP);
  end_buffer();
  finish();
  expect_events(1, "110 Enter target kernel {requested_teams=4 matching_id=9}, 110 ParameterUnsignedInt 0 5, "
                   "110 ParameterUnsignedInt 1 77, 160 Leave target kernel {granted_teams=2}");
}

/* In the order of their begins; what overlaps goes to another stream. */
static void a_buffer_is_sorted(void **state) {
  (void)state;
  begin_device();
  kernel(1400, 1500, 3);
  kernel(1000, 1100, 1);
  kernel(1050, 1450, 2);
  end_buffer();
  finish();
  expect_events(1, "110 Enter target kernel {requested_teams=4 matching_id=1}, "
                   "110 ParameterUnsignedInt 0 5, 110 ParameterUnsignedInt 1 77, "
                   "120 Leave target kernel {granted_teams=2}, "
                   "150 Enter target kernel {requested_teams=4 matching_id=3}, "
                   "150 ParameterUnsignedInt 0 5, 150 ParameterUnsignedInt 1 77, "
                   "160 Leave target kernel {granted_teams=2}");
  expect_events(2, "115 Enter target kernel {requested_teams=4 matching_id=2}, "
                   "115 ParameterUnsignedInt 0 5, 115 ParameterUnsignedInt 1 77, "
                   "155 Leave target kernel {granted_teams=2}");
}

/* None begins before the trace or ends after its report; a time that is left out is that of the report. */
static void times_stay_between_the_trace_and_the_report(void **state) {
  (void)state;
  begin_device();
  kernel(1, 9000, 1);
  end_buffer();
  kernel(0, 0, 2);
  end_buffer();
  finish();
  expect_events(1, "11 Enter target kernel {requested_teams=4 matching_id=1}, "
                   "11 ParameterUnsignedInt 0 5, 11 ParameterUnsignedInt 1 77, "
                   "300 Leave target kernel {granted_teams=2}, "
                   "301 Enter target kernel {requested_teams=4 matching_id=2}, "
                   "301 ParameterUnsignedInt 0 5, 301 ParameterUnsignedInt 1 77, "
                   "301 Leave target kernel {granted_teams=2}");
}

/* Without two points of both clocks only the time of the report is known. */
static void one_reading_of_the_clocks_gives_the_reports_time(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 11, device_initialize, .device = DEVICE);
  clocks(100, 100, 900);
  kernel(1000, 1500, HOST_OP);
  end_buffer();
  finish();
  expect_events(1, "300 Enter target kernel {requested_teams=4 matching_id=9}, "
                   "300 ParameterUnsignedInt 0 5, 300 ParameterUnsignedInt 1 77, "
                   "300 Leave target kernel {granted_teams=2}");
}

/* Not as long as its kind needs: a record all the same, without the fields. */
static void a_cut_record_has_the_values_that_are_there(void **state) {
  const uint64_t words[] = {DEVICE, TARGET};
  (void)state;
  begin_device();
  feed(0,
       &(const struct record_device_record){.ticks = ARRIVAL,
                                            .type = RECORD_device_record,
                                            .time = 1000,
                                            .thread = 5,
                                            .record_type = OMPT_CALLBACK_target_submit},
       words, COUNT(words));
  FEED(0, ARRIVAL, device_record, .time = 1200, .record_type = 4096); /* nothing after it: not used */
  end_buffer();
  finish();
  expect_events(1, "110 Enter device record, 110 ParameterUnsignedInt 0 5, 110 ParameterUnsignedInt 1 77, "
                   "110 Leave device record");
}

static void a_native_record_is_written(void **state) {
  uint64_t words[5] = {DEVICE, HOST_OP, 3, 4};
  (void)state;
  memcpy(words + 4, "copy", 4);
  begin_device();
  feed(0,
       &(const struct record_device_native){.ticks = ARRIVAL,
                                            .type = RECORD_device_native,
                                            .begin = 1000,
                                            .end = 1100,
                                            .record_class = OMPT_RECORD_NATIVE_event},
       words, COUNT(words));
  end_buffer();
  finish();
  expect_events(
      1,
      "110 Enter device activity {activity=copy matching_id=9}, 120 Leave device activity {hardware_id=3}");
}

static void an_unreadable_record_is_a_region(void **state) {
  (void)state;
  begin_device();
  FEED(0, ARRIVAL, device_unreadable, .device = DEVICE, .record_type = 8);
  end_buffer();
  finish();
  expect_events(1, "300 Enter unknown {kind=8}, 300 Leave unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(times_are_the_hosts),
      CORRELATED(a_buffer_is_sorted),
      CORRELATED(times_stay_between_the_trace_and_the_report),
      CORRELATED(one_reading_of_the_clocks_gives_the_reports_time),
      CORRELATED(a_cut_record_has_the_values_that_are_there),
      CORRELATED(a_native_record_is_written),
      CORRELATED(an_unreadable_record_is_a_region),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
