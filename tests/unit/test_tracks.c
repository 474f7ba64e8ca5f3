/* What merging must keep: what is long as it was, all times, all counts, the order, and a bounded number of
 * items. */
#include <math.h>

#include "unit.h"

#include "timeline/content/activity_track.h"
#include "timeline/content/slice_track.h"

enum { ITEMS = 20000, LONG = 5000 };

static uint64_t some_length(uint64_t *random) {
  return next_random(random) % 20 == 0 ? LONG + next_random(random) % 9000 : next_random(random) % 40;
}

/* -- activities -- */

static double sum_of(const struct activity_track *track, int activity) {
  double sum = 0;
  for (size_t i = 0; i < track->count; i++)
    sum += (double)track->mixes[i].ticks[activity];
  return sum;
}

static void fill_activities(struct activity_track *track, double sums[ACTIVITY_COUNT], uint64_t resolution) {
  uint64_t random = 7, time = 1000;
  for (int i = 0; i < ITEMS; i++) {
    uint64_t length = some_length(&random),
             gap = next_random(&random) % 3 == 0 ? next_random(&random) % 10 : 0;
    enum activity activity = (enum activity)(next_random(&random) % ACTIVITY_COUNT);
    activity_track_add(track, time, time + length, activity, resolution);
    sums[activity] += (double)length;
    time += length + gap;
  }
}

static void expect_sound_mixes(const struct activity_track *track, const double sums[ACTIVITY_COUNT]) {
  for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
    assert_true(fabs(sum_of(track, activity) - sums[activity]) <= 1e-4 * sums[activity]);
  for (size_t i = 1; i < track->count; i++)
    assert_true(track->mixes[i].begin >= track->mixes[i - 1].end);
}

/* Whether merged immediately or later, all times add up. */
static void activities_add_up(void **state) {
  (void)state;
  struct activity_track exact = {0}, merged = {0};
  double sums[ACTIVITY_COUNT] = {0}, again[ACTIVITY_COUNT] = {0};
  fill_activities(&exact, sums, 0);
  fill_activities(&merged, again, 256);
  assert_true(merged.count < exact.count / 4);
  expect_sound_mixes(&exact, sums);
  expect_sound_mixes(&merged, sums);
  for (uint64_t resolution = 64; resolution < 100000; resolution *= 4) {
    activity_track_coarsen(&exact, resolution);
    expect_sound_mixes(&exact, sums);
  }
  assert_true(exact.count < 2 * ITEMS * LONG / 65536);
  activity_track_free(&exact);
  activity_track_free(&merged);
}

static void like_activities_are_one(void **state) {
  (void)state;
  struct activity_track track = {0};
  activity_track_add(&track, 0, 10, ACTIVITY_WORK, 0);
  activity_track_add(&track, 10, 30, ACTIVITY_WORK, 0);
  activity_track_add(&track, 20, 40, ACTIVITY_IDLE, 0); /* its overlap is cut off */
  activity_track_add(&track, 40, 40, ACTIVITY_WORK, 0); /* nothing */
  assert_int_equal(track.count, 2);
  assert_int_equal(track.mixes[0].end, 30);
  assert_true(track.mixes[1].ticks[ACTIVITY_IDLE] == 10);
  activity_track_free(&track);
}

/* -- slices -- */

static void fill_slices(struct slice_track *track, uint64_t resolution) {
  uint64_t random = 3, time = 0;
  for (uint32_t i = 0; i < ITEMS; i++) {
    uint64_t length = some_length(&random);
    struct slice slice = {.begin = time, .end = time + length, .region = i, .count = 1, .attributes = i + 1};
    slice_track_add(track, &slice, resolution);
    time += length + next_random(&random) % 30;
  }
}

static uint64_t count_of(const struct slice_track *track) {
  uint64_t count = 0;
  for (size_t i = 0; i < track->count; i++)
    count += track->slices[i].count;
  return count;
}

static void long_slices_stay(void **state) {
  (void)state;
  struct slice_track exact = {0}, merged = {0};
  fill_slices(&exact, 0);
  fill_slices(&merged, 0);
  assert_int_equal(exact.count, ITEMS);
  slice_track_coarsen(&merged, LONG);
  assert_true(merged.count < exact.count / 4);
  assert_int_equal(count_of(&merged), ITEMS);
  size_t at = 0;
  for (size_t i = 0; i < exact.count; i++) {
    if (exact.slices[i].end - exact.slices[i].begin < LONG)
      continue;
    while (merged.slices[at].begin < exact.slices[i].begin)
      at++;
    assert_int_equal(merged.slices[at].begin, exact.slices[i].begin);
    assert_int_equal(merged.slices[at].end, exact.slices[i].end);
    assert_int_equal(merged.slices[at].region, exact.slices[i].region);
    assert_int_equal(merged.slices[at].attributes, exact.slices[i].attributes);
  }
  slice_track_free(&exact);
  slice_track_free(&merged);
}

static void merged_slices_know_the_longest(void **state) {
  (void)state;
  struct slice_track track = {0};
  const struct slice slices[] = {{.begin = 0, .end = 4, .region = 1, .count = 1, .attributes = 9},
                                 {.begin = 6, .end = 13, .region = 2, .count = 1},
                                 {.begin = 14, .end = 16, .region = 3, .count = 1},
                                 {.begin = 500, .end = 500, .region = 4, .count = 1}};
  for (size_t i = 0; i < COUNT(slices); i++)
    slice_track_add(&track, &slices[i], 100);
  assert_int_equal(track.count, 2);
  assert_int_equal(track.slices[0].region, 2);
  assert_int_equal(track.slices[0].count, 3);
  assert_int_equal(track.slices[0].end, 16);
  assert_int_equal(track.slices[0].attributes, 0);
  assert_true(track.slices[0].busy == 13 && track.slices[0].longest == 7);
  assert_int_equal(track.slices[1].begin, 500);
  slice_track_free(&track);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(activities_add_up),
      cmocka_unit_test(like_activities_are_one),
      cmocka_unit_test(long_slices_stay),
      cmocka_unit_test(merged_slices_know_the_longest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
