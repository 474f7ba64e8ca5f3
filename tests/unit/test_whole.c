#include "base/whole.h"

#include <math.h>

#include "unit.h"

static void numbers_that_integers_hold(void **state) {
  (void)state;
  assert_int_equal(whole_number(0), 0);
  assert_int_equal(whole_number(1.9), 1);
  assert_int_equal(whole_number(0x1.fffffffffffffp63), UINT64_MAX - 2047);
  assert_int_equal(whole_nearest(-1.5), -2);
  assert_int_equal(whole_nearest(2.4), 2);
}

/* What a sum of times that are near 2^64 becomes. */
static void numbers_out_of_range_are_clamped(void **state) {
  (void)state;
  assert_true(whole_number((double)UINT64_MAX) == UINT64_MAX);
  assert_true(whole_number(INFINITY) == UINT64_MAX);
  assert_int_equal(whole_number(-1), 0);
  assert_int_equal(whole_number(NAN), 0);
  assert_true(whole_nearest(0x1p63) == INT64_MAX);
  assert_true(whole_nearest(-0x1p63) == INT64_MIN);
  assert_int_equal(whole_nearest(NAN), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_that_integers_hold),
      cmocka_unit_test(numbers_out_of_range_are_clamped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
