/* One time of several clocks: what is a line over what, and through which points. */
#include "merge/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

void merge_check(struct merging *merge, OTF2_ErrorCode code) {
  merge->error |= code != OTF2_SUCCESS;
}

enum { MOST = 4 };

struct setting {
  struct merge_request request;
  struct merge_result result;
  struct merge_source sources[MOST];
  struct merging merge;
};

static struct merging *setting(struct setting *setting, size_t count) {
  memset(setting, 0, sizeof *setting);
  setting->request.count = count;
  setting->merge =
      (struct merging){.request = &setting->request, .result = &setting->result, .sources = setting->sources};
  return &setting->merge;
}

static struct merge_source *add(struct setting *setting, size_t i, const char *domain, uint64_t frequency,
                                uint64_t first, uint64_t length) {
  setting->sources[i] = (struct merge_source){.rank = (int64_t)i,
                                              .domain = (char *)domain,
                                              .frequency = frequency,
                                              .first = first,
                                              .length = length,
                                              .realtime_ns = 1000000000};
  return &setting->sources[i];
}

static void add_point(struct merge_source *source, uint64_t local, uint64_t remote, double deviation) {
  source->points[source->point_count++] = (struct instant_pair){local, remote, deviation};
}

/* Both have measured the counter a little differently: the longer one is nearer to the truth, and no time
 * changes. */
static void one_clock_has_one_frequency(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 2);
  add(&it, 0, "tsc a", 2250000100, 1000, 500);
  add(&it, 1, "tsc a", 2250000000, 1200, 90000);
  clocks_compare(merge);
  assert_int_equal(merge->line_count, 1);
  assert_int_equal(merge->frequency, 2250000000);
  assert_int_equal(merge->first, 1000);
  assert_int_equal(merge->length, 90200);
  assert_int_equal(clocks_correct(merge, &it.sources[0], 1234), 1234);
  assert_int_equal(it.result.clocks, 1);
  assert_false(it.result.is_by_calendar);
  free(merge->lines);
}

/* Rank 1's clock is a thousand seconds late and too fast by 200 ppm: both points correct that. */
static void two_points_correct_drift(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 2);
  const uint64_t second = 1000000000, late_ns = 1000 * second;
  add(&it, 0, "monotonic a", second, 5000 * second, 100 * second);
  struct merge_source *other = add(&it, 1, "monotonic b", second, 4000 * second, 100 * second);
  add_point(other, 4000 * second, 5000 * second, 300);
  add_point(other, 4100 * second + 20000000, 5100 * second, 700);
  clocks_compare(merge);
  assert_true(it.result.deviation_s > 699e-9 && it.result.deviation_s < 701e-9);
  assert_int_equal(clocks_correct(merge, &it.sources[0], 77), 77);
  assert_int_equal(clocks_correct(merge, other, 4000 * second), 4000 * second + late_ns);
  int64_t middle = (int64_t)(clocks_correct(merge, other, 4050 * second + 10000000) - 5050 * second);
  assert_true(middle >= -1 && middle <= 1);
  assert_int_equal(clocks_correct(merge, other, 4100 * second + 20000000), 5100 * second);
  free(merge->lines);
}

/* With one point the clocks run at their frequencies. */
static void one_point_corrects_by_the_frequencies(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 2);
  add(&it, 0, "tsc a", 1000, 1000, 9000);
  struct merge_source *other = add(&it, 1, "tsc b", 2000, 500, 9000);
  add_point(other, 1000, 2000, 5);
  clocks_compare(merge);
  assert_int_equal(clocks_correct(merge, other, 1000), 2000);
  assert_int_equal(clocks_correct(merge, other, 3000), 3000);
  assert_int_equal(clocks_correct(merge, other, 500), 1750);
  assert_false(it.result.is_by_calendar);
  free(merge->lines);
}

static void without_points_the_calendar_gives_the_offset(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 2);
  add(&it, 0, "tsc a", 1000, 5000, 9000);
  struct merge_source *other = add(&it, 1, NULL, 1000, 70000, 100);
  other->realtime_ns += 3000000000; /* began three seconds later */
  clocks_compare(merge);
  assert_int_equal(clocks_correct(merge, other, 70000), 8000);
  assert_true(it.result.is_by_calendar);
  assert_int_equal(merge->realtime_ns, 1000000000);
  free(merge->lines);
}

/* What ran before the machine of the first was booted has no time on its clock: all are put forward. */
static void times_before_zero(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 2);
  add(&it, 0, "tsc a", 1000, 5000, 100)->realtime_ns = UINT64_C(3000000000000);
  struct merge_source *other = add(&it, 1, "tsc b", 1000, 777, 100);
  other->realtime_ns -= 500000000;
  clocks_compare(merge);
  uint64_t here = clocks_correct(merge, &it.sources[0], 5000), there = clocks_correct(merge, other, 777);
  assert_true(there < here);
  assert_int_equal(here - there, 2999500);
  assert_int_equal(merge->first, there);
  assert_int_equal(merge->realtime_ns, 500000000);
  free(merge->lines);
}

/* The points lead to rank 0's clock, and it has left nothing. */
static void rank_0_is_lost(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 2);
  struct merge_source *a = add(&it, 0, "tsc a", 1000, 1000, 2000),
                      *b = add(&it, 1, "tsc b", 1000, 4000, 2000);
  a->rank = 1;
  b->rank = 2;
  add_point(a, 1000, 50000, 0);
  add_point(a, 3000, 54000, 0);
  add_point(b, 4000, 50000, 0);
  add_point(b, 6000, 54000, 0);
  clocks_compare(merge);
  assert_int_equal(merge->frequency, 2000);
  assert_int_equal(clocks_correct(merge, a, 2000), 52000);
  assert_int_equal(clocks_correct(merge, b, 5000), 52000);
  free(merge->lines);
}

/* Rank 0's clock had not come to the comparison: the common one is that with which the others were compared.
 * Both others may be wrong against each other by what each may be wrong. */
static void another_clock_is_not_compared(void **state) {
  (void)state;
  struct setting it;
  struct merging *merge = setting(&it, 4);
  const uint64_t second = 1000000000;
  add(&it, 0, "tsc a", second, 1000 * second, 10 * second);
  add(&it, 1, "tsc b", second, 2000 * second, 10 * second);
  for (size_t i = 2; i < 4; i++) {
    struct merge_source *other = add(&it, i, i == 2 ? "tsc c" : "tsc d", second, 3000 * second, 10 * second);
    add_point(other, 3000 * second, 2000 * second, 100);
    add_point(other, 3010 * second, 2010 * second, 200);
    other->reference = "tsc b";
  }
  clocks_compare(merge);
  assert_int_equal(clocks_correct(merge, &it.sources[1], 77), 77);
  assert_int_equal(clocks_correct(merge, &it.sources[2], 3005 * second), 2005 * second);
  assert_true(it.result.is_by_calendar); /* rank 0's */
  assert_int_equal(clocks_correct(merge, &it.sources[0], 1001 * second), 2001 * second);
  assert_true(merge->lines[2].deviation == 200);
  assert_true(it.result.deviation_s > 0.05 && it.result.deviation_s < 0.0500003);
  free(merge->lines);
}

/* A point is only as good as the frequency is, far from it; and so are two that are too near to each other.
 */
static void deviation_grows(void **state) {
  (void)state;
  const uint64_t second = 1000000000;
  for (int near = 0; near < 2; near++) {
    struct setting it;
    struct merging *merge = setting(&it, 2);
    add(&it, 0, "tsc a", second, 1000 * second, 100 * second);
    struct merge_source *other = add(&it, 1, "tsc b", second, 3000 * second, 100 * second);
    add_point(other, 3000 * second, 1000 * second, 5000);
    if (near)
      add_point(other, 3000 * second + 1000000, 1000 * second + 1010000, 5000);
    clocks_compare(merge);
    assert_int_equal(clocks_correct(merge, other, 3100 * second), 1100 * second);
    assert_true(it.result.deviation_s > 0.049 && it.result.deviation_s < 0.051);
    free(merge->lines);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_clock_has_one_frequency),
      cmocka_unit_test(two_points_correct_drift),
      cmocka_unit_test(one_point_corrects_by_the_frequencies),
      cmocka_unit_test(without_points_the_calendar_gives_the_offset),
      cmocka_unit_test(times_before_zero),
      cmocka_unit_test(rank_0_is_lost),
      cmocka_unit_test(another_clock_is_not_compared),
      cmocka_unit_test(deviation_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
