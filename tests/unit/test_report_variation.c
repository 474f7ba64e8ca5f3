/* In which instances a cost lies is found however many there are. */
#include "unit.h"

#include "report/stats/variation.h"

static struct variation_peak peak;

/* Instances of 10 ticks each, of which `first` to `last` cost 5. */
static bool has_peak(uint64_t count, uint64_t first, uint64_t last) {
  struct variation variation = {0};
  for (uint64_t i = 1; i <= count; i++)
    variation_add(&variation, i >= first && i <= last ? 5 : 0, 10 * (i - 1), 10 * i);
  return variation_peak(&variation, &peak);
}

static void a_row_is_found(void **state) {
  (void)state;
  assert_true(has_peak(40, 16, 25));
  assert_int_equal(peak.first, 16);
  assert_int_equal(peak.last, 25);
  assert_int_equal(peak.count, 40);
  assert_int_equal(peak.begin_ticks, 150);
  assert_int_equal(peak.end_ticks, 250);
  assert_true(peak.share == 1);
}

static void a_peak_at_an_end_is_found(void **state) {
  (void)state;
  assert_true(has_peak(8, 1, 1));
  assert_int_equal(peak.last, 1);
  assert_true(has_peak(8, 8, 8));
  assert_int_equal(peak.first, 8);
  assert_int_equal(peak.end_ticks, 80);
}

/* Buckets of many instances: the row is at most one bucket longer at each end. */
static void many_instances_are_rounded(void **state) {
  (void)state;
  assert_true(has_peak(1000003, 300000, 400000));
  uint64_t width = 16384; /* the least power of two of which 64 hold them all */
  assert_in_range(peak.first, 300000 - width, 300000 + width);
  assert_in_range(peak.last, 400000 - width, 400000 + width);
  assert_int_equal(peak.count, 1000003);
  assert_true(peak.share >= 0.9);
}

static void a_constant_value_is_no_peak(void **state) {
  struct variation none = {0};
  (void)state;
  assert_false(has_peak(40, 1, 40));
  assert_false(has_peak(40, 1, 30));
  assert_false(has_peak(40, 41, 41)); /* costs nothing at all */
  assert_false(has_peak(7, 1, 1));    /* too few to show that */
  assert_false(variation_peak(&none, &peak));
  assert_false(variation_peak(NULL, &peak));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_is_found),
      cmocka_unit_test(a_peak_at_an_end_is_found),
      cmocka_unit_test(many_instances_are_rounded),
      cmocka_unit_test(a_constant_value_is_no_peak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
