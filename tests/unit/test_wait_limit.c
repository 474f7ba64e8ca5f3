/* How long Stave waits in the program for its writer. */
#include "unit.h"

#include "tool/wait_limit.h"

enum { SECONDS = 16 };
static const uint64_t second = 1000000000;

static bool looks_until(struct wait_limit *limit, uint64_t *now, uint64_t end, uint64_t step) {
  bool is_over = false;
  while (*now < end && !is_over)
    is_over = wait_limit_is_over(limit, *now += step);
  return is_over;
}

static void it_ends_after_its_time(void **state) {
  uint64_t now = 5 * second, begin = now;
  struct wait_limit limit = wait_limit_begin(now, SECONDS);
  (void)state;
  assert_false(looks_until(&limit, &now, begin + SECONDS * second, second / 100));
  assert_true(looks_until(&limit, &now, begin + (SECONDS + 1) * second, second / 100));
}

static void progress_renews_it(void **state) {
  uint64_t now = 0;
  struct wait_limit limit = wait_limit_begin(now, SECONDS);
  (void)state;
  for (int i = 0; i < 4; i++) {
    assert_false(looks_until(&limit, &now, now + 12 * second, second / 20));
    wait_limit_renew(&limit, now);
  }
}

static void a_suspension_counts_as_an_eighth(void **state) {
  uint64_t now = 0;
  struct wait_limit limit = wait_limit_begin(now, SECONDS);
  (void)state;
  assert_false(wait_limit_is_over(&limit, now += 3600 * second));
  assert_false(looks_until(&limit, &now, now + SECONDS * 7 / 8 * second, second / 20));
  assert_true(looks_until(&limit, &now, now + second, second / 20));
}

/* On a busy machine each look may be late. */
static void late_looks_end_it_too(void **state) {
  uint64_t now = 0;
  struct wait_limit limit = wait_limit_begin(now, SECONDS);
  (void)state;
  assert_false(looks_until(&limit, &now, 8 * 10 * second, 10 * second));
  assert_true(wait_limit_is_over(&limit, now += 10 * second));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_ends_after_its_time), cmocka_unit_test(progress_renews_it),
      cmocka_unit_test(a_suspension_counts_as_an_eighth), cmocka_unit_test(late_looks_end_it_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
