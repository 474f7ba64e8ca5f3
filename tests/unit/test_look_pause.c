/* The pauses between looks at the processes of a recording. */
#include "unit.h"

#include "cli/record/look_pause.h"

static void cheap_looks_double_up_to_the_longest(void **state) {
  int pause_ms = LOOK_PAUSE_FIRST_MS, looks = 0;
  (void)state;
  for (; pause_ms < LOOK_PAUSE_LONGEST_MS; looks++) {
    int next_ms = look_pause_after(pause_ms, 50000);
    assert_true(next_ms == 2 * pause_ms || next_ms == LOOK_PAUSE_LONGEST_MS);
    pause_ms = next_ms;
  }
  assert_int_equal(looks, 9);
  assert_int_equal(look_pause_after(pause_ms, 50000), LOOK_PAUSE_LONGEST_MS);
}

/* gmic, 252 libraries: 2 ms a look. */
static void a_look_costs_a_fiftieth_at_most(void **state) {
  (void)state;
  assert_int_equal(look_pause_after(LOOK_PAUSE_FIRST_MS, 2000000), 100);
  assert_int_equal(look_pause_after(100, 2000000), 200);
  assert_int_equal(look_pause_after(LOOK_PAUSE_FIRST_MS, 400000), 20);
  assert_int_equal(look_pause_after(LOOK_PAUSE_FIRST_MS, 420000), 21);
}

static void a_look_of_seconds_does_not_end_the_looks(void **state) {
  (void)state;
  assert_int_equal(look_pause_after(LOOK_PAUSE_FIRST_MS, 9000000000), LOOK_PAUSE_LONGEST_MS);
  assert_int_equal(look_pause_after(LOOK_PAUSE_LONGEST_MS, UINT64_MAX), LOOK_PAUSE_LONGEST_MS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cheap_looks_double_up_to_the_longest),
                                     cmocka_unit_test(a_look_costs_a_fiftieth_at_most),
                                     cmocka_unit_test(a_look_of_seconds_does_not_end_the_looks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
