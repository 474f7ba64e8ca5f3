/* What programs record by stave.h: regions, messages, counters. */
#include "correlated.h"

#include <string.h>

#include "unit.h"

enum { LINE = 12, INTEGER = 1, CUT = 1 };
enum call { REGION, MESSAGE, COUNTER };

static void record_call(uint64_t at, enum call what, unsigned endpoint, const char *name, uint64_t value) {
  static const uint8_t types[] = {RECORD_control_tool_region, RECORD_control_tool_message,
                                  RECORD_control_tool_counter};
  uint64_t words[16] = {value, what == COUNTER ? 1 : 0};
  char text[64];
  int bytes = snprintf(text, sizeof text, "%s%s%s", name, "a.c", what == COUNTER ? "B" : "");
  memcpy(words + 2, text, (size_t)bytes);
  const struct record_control_tool_region record = {.ticks = at,
                                                    .type = types[what],
                                                    .endpoint = (uint8_t)endpoint,
                                                    .name_bytes = (uint32_t)strlen(name),
                                                    .line_and_file = LINE | UINT64_C(3) << 32};
  feed(0, &record, words, 16);
}

static void regions_in_regions(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  record_call(20, REGION, ENDPOINT_BEGIN, "outer", 0);
  record_call(21, REGION, ENDPOINT_BEGIN, "inner", 0);
  record_call(22, REGION, ENDPOINT_END, "inner", 0);
  record_call(23, REGION, ENDPOINT_END, "", 0);
  finish();
  expect_events(0, "20 Enter outer, 21 Enter inner, 22 Leave inner, 23 Leave outer");
  assert_int_equal(correlated()->figures.user_regions_left_open, 0);
}

static void an_end_that_does_not_fit_is_refused(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  record_call(20, REGION, ENDPOINT_BEGIN, "one", 0);
  record_call(21, REGION, ENDPOINT_END, "other", 0);
  finish();
  expect_events(0, "20 Enter one, 21 Enter refused region end {region_name=other}, "
                   "21 Leave refused region end, 21 Leave one");
  assert_int_equal(correlated()->figures.user_ends_refused, 1);
  assert_int_equal(correlated()->figures.user_regions_left_open, 1);
}

static void messages_and_counters(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  record_call(20, MESSAGE, 0, "hello \xff", 0);
  record_call(21, COUNTER, INTEGER, "bytes", 4711);
  finish();
  expect_events(0, "20 Enter message {message=hello ?}, 20 Leave message, 21 Metric 0 1, 21 Enter counter, "
                   "21 Leave counter");
}

/* A region that began after gcc's single goes on when the barrier ends that. */
static void a_region_after_work_that_never_ends(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 20, work, .endpoint = ENDPOINT_BEGIN, .kind = OMPT_WORK_single_executor, .count = 1,
       .codeptr = AT_WORK);
  record_call(21, REGION, ENDPOINT_BEGIN, "mine", 0);
  begin_barrier(0, 22);
  end_barrier(0, 23);
  record_call(24, REGION, ENDPOINT_END, "mine", 0);
  finish();
  expect_events(0, "20 Enter single, 20 Enter single sblock, 21 Enter mine, 22 Leave mine, "
                   "22 Leave single sblock, 22 Leave single, 22 Enter mine, 22 Enter implicit barrier, "
                   "23 Leave implicit barrier, 24 Leave mine");
}

static void nothing_is_recorded_in_a_pause(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 19, control_tool, .command = OMPT_CONTROL_TOOL_pause);
  record_call(20, REGION, ENDPOINT_BEGIN, "open", 0);
  record_call(21, MESSAGE, 0, "hidden", 0);
  record_call(22, COUNTER, INTEGER, "bytes", 1);
  FEED(0, 23, control_tool, .command = OMPT_CONTROL_TOOL_start);
  record_call(24, REGION, ENDPOINT_END, "open", 0);
  finish();
  expect_events(0,
                "19 Enter omp_control_tool {command=2 modifier=0}, 19 Leave omp_control_tool {argument=0}, "
                "19 MeasurementOnOff 2, 23 MeasurementOnOff 1, 23 Enter open, "
                "23 Enter omp_control_tool {command=1 modifier=0}, 23 Leave omp_control_tool {argument=0}, "
                "24 Leave open");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(regions_in_regions),
      CORRELATED(an_end_that_does_not_fit_is_refused),
      CORRELATED(messages_and_counters),
      CORRELATED(a_region_after_work_that_never_ends),
      CORRELATED(nothing_is_recorded_in_a_pause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
