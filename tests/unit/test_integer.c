#include "base/integer.h"

#include <math.h>

#include "unit.h"

static void numbers_that_integers_hold(void **state) {
  (void)state;
  assert_int_equal(integer_truncate(0), 0);
  assert_int_equal(integer_truncate(1.9), 1);
  assert_int_equal(integer_truncate(0x1.fffffffffffffp63), UINT64_MAX - 2047);
  assert_int_equal(integer_round(-1.5), -2);
  assert_int_equal(integer_round(2.4), 2);
}

/* What a sum of times that are near 2^64 becomes. */
static void numbers_out_of_range_are_clamped(void **state) {
  (void)state;
  assert_true(integer_truncate((double)UINT64_MAX) == UINT64_MAX);
  assert_true(integer_truncate(INFINITY) == UINT64_MAX);
  assert_int_equal(integer_truncate(-1), 0);
  assert_int_equal(integer_truncate(NAN), 0);
  assert_true(integer_round(0x1p63) == INT64_MAX);
  assert_true(integer_round(-0x1p63) == INT64_MIN);
  assert_int_equal(integer_round(NAN), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_that_integers_hold),
      cmocka_unit_test(numbers_out_of_range_are_clamped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
