#include "writer/pipeline/round_gain.h"

#include "unit.h"

enum { MS = 1000000, ROUND = MS / 2, PAUSE_LEAST_MS = 32, PAUSE_MOST_MS = 256 };

/* Rounds of so long each, for `ran_ns` of work, until one goes on alone. Returns how many, or most
 * + 1.
 */
static int rounds_until_alone(struct round_gain *gain, uint64_t *now, uint64_t ran_ns, int most) {
  for (int i = 1; i <= most; i++) {
    *now += ROUND;
    if (round_gain_note(gain, *now, ROUND, ran_ns))
      return i;
    assert_true(round_gain_is_for_several(gain, *now));
  }
  return most + 1;
}

/* Returns for how long one is alone, in ms. */
static unsigned pause_ms(const struct round_gain *gain, uint64_t *now) {
  unsigned ms = 0;
  for (; !round_gain_is_for_several(gain, *now); ms++)
    *now += MS;
  return ms;
}

static void several_go_on_where_they_are_faster(void **state) {
  struct round_gain gain = {0};
  uint64_t now = MS;
  (void)state;
  assert_true(round_gain_is_for_several(&gain, now));
  assert_int_equal(rounds_until_alone(&gain, &now, 2 * ROUND, 1000), 1001);
}

static void one_that_waited_for_a_moment_is_not_alone(void **state) {
  struct round_gain gain = {0};
  uint64_t now = MS;
  (void)state;
  for (int i = 0; i < 100; i++) {
    now += ROUND;
    assert_false(round_gain_note(&gain, now, ROUND, i % 4 ? 2 * ROUND : ROUND / 10));
  }
}

static void one_is_alone_where_several_are_slower(void **state) {
  struct round_gain gain = {0};
  uint64_t now = MS;
  (void)state;
  for (unsigned expected = PAUSE_LEAST_MS; expected <= 4 * PAUSE_MOST_MS; expected *= 2) {
    assert_in_range(rounds_until_alone(&gain, &now, ROUND / 2, 100), 2, 100);
    assert_int_equal(pause_ms(&gain, &now), expected < PAUSE_MOST_MS ? expected : PAUSE_MOST_MS);
  }
}

static void a_good_trial_makes_the_next_pause_short(void **state) {
  struct round_gain gain = {0};
  uint64_t now = MS;
  (void)state;
  for (int i = 0; i < 3; i++) {
    rounds_until_alone(&gain, &now, ROUND / 2, 100);
    assert_true(pause_ms(&gain, &now) >= PAUSE_LEAST_MS);
  }
  assert_int_equal(rounds_until_alone(&gain, &now, 2 * ROUND, 100), 101);
  rounds_until_alone(&gain, &now, 0, 100);
  assert_int_equal(pause_ms(&gain, &now), PAUSE_LEAST_MS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_go_on_where_they_are_faster),
      cmocka_unit_test(one_that_waited_for_a_moment_is_not_alone),
      cmocka_unit_test(one_is_alone_where_several_are_slower),
      cmocka_unit_test(a_good_trial_makes_the_next_pause_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
