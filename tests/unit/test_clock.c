/* The session's clock against the kernel's. */
#include "unit.h"

#include "session/clock.h"

static void monotonic_ticks_are_nanoseconds(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) {
    uint64_t before = clock_ns(CLOCK_MONOTONIC);
    uint64_t ticks = clock_ticks(CLOCK_KIND_MONOTONIC);
    uint64_t after = clock_ns(CLOCK_MONOTONIC);
    assert_in_range(ticks, before, after);
  }
}

static void ticks_never_go_back(void **state) {
  (void)state;
  enum clock_kind kind = clock_choose();
  uint64_t last = 0;
  for (int i = 0; i < 100000; i++) {
    uint64_t ticks = clock_ticks(kind);
    assert_true(ticks >= last);
    last = ticks;
  }
  assert_true(last > 0);
}

static void samples_are_one_instant(void **state) {
  (void)state;
  enum clock_kind kind = clock_choose();
  for (int i = 0; i < 100; i++) {
    uint64_t ticks = clock_ticks(kind), monotonic = clock_ns(CLOCK_MONOTONIC),
             real = clock_ns(CLOCK_REALTIME);
    struct clock_point point = clock_sample(kind);
    assert_in_range(point.ticks, ticks, clock_ticks(kind));
    assert_in_range(point.monotonic_ns, monotonic, clock_ns(CLOCK_MONOTONIC));
    assert_in_range(point.realtime_ns, real, clock_ns(CLOCK_REALTIME));
  }
}

static void frequency_is_ticks_over_time(void **state) {
  const struct clock_point start = {1000, 5000, 0};
  static const struct {
    uint64_t ticks, ns, frequency;
  } rows[] = {
      {3000000000, 1000000000, 3000000000},
      {2600000, 1000000, 2600000000},
      {24000000, 1000000000, 24000000},
      {UINT64_C(3000000000) * 86400 * 365, UINT64_C(1000000000) * 86400 * 365, 3000000000},
      {1, 3000000000, 1}, /* a third of a tick a second: never 0 */
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct clock_point end = {start.ticks + rows[i].ticks, start.monotonic_ns + rows[i].ns, 0};
    uint64_t frequency = clock_frequency(CLOCK_KIND_TSC, &start, &end);
    /* rounded down */
    assert_in_range(frequency, rows[i].frequency - (rows[i].frequency > 1), rows[i].frequency);
    assert_int_equal(clock_frequency(CLOCK_KIND_MONOTONIC, &start, &end), 1000000000);
  }
}

/* Measured over 20 ms here, over 2 ms there: the same clock. */
static void short_runs_are_measured_anew(void **state) {
  (void)state;
  if (clock_choose() != CLOCK_KIND_TSC)
    skip();
  struct clock_point start = clock_sample(CLOCK_KIND_TSC), end;
  do
    end = clock_sample(CLOCK_KIND_TSC);
  while (end.monotonic_ns < start.monotonic_ns + 20000000);
  uint64_t expected = clock_frequency(CLOCK_KIND_TSC, &start, &end);
  const struct clock_point nonsense[][2] = {
      {start, start},
      {{1000, 5000, 0}, {4000, 6000, 0}}, /* a microsecond */
      {end, start},
      {{9000, 0, 0}, {1000, 2000000000, 0}}, /* ticks went back */
  };
  for (size_t i = 0; i < COUNT(nonsense); i++) {
    uint64_t frequency = clock_frequency(CLOCK_KIND_TSC, &nonsense[i][0], &nonsense[i][1]);
    assert_in_range(frequency, expected - expected / 20, expected + expected / 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(monotonic_ticks_are_nanoseconds), cmocka_unit_test(ticks_never_go_back),
      cmocka_unit_test(samples_are_one_instant),         cmocka_unit_test(frequency_is_ticks_over_time),
      cmocka_unit_test(short_runs_are_measured_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
