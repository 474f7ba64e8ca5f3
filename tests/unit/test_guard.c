/* The guard's patience: a worker without progress is killed, one that waits for somebody else is not. */
#include <time.h>

#include "unit.h"

#include "analysis/guard.h"

/* Time for a worker to begin, on a machine with other work. */
enum { PATIENCE_MS = 1000, WORK_MS = 2500 };

static int sleep_then_return(void *data, struct guard_progress *progress) {
  const bool *is_waiting = data;
  atomic_store(&progress->is_waiting, *is_waiting);
  do
    nanosleep(&(struct timespec){WORK_MS / 1000, WORK_MS % 1000 * 1000000}, NULL);
  while (!*is_waiting);
  return 7;
}

static struct guard_result run(bool is_waiting) {
  const struct guard_watch watch = {.patience_ms = PATIENCE_MS};
  return guard_run(sleep_then_return, &is_waiting, &watch);
}

static void stillness_is_ended(void **state) {
  (void)state;
  assert_int_equal(run(false).ending, GUARD_STUCK);
}

static void waiting_is_not_stillness(void **state) {
  (void)state;
  struct guard_result result = run(true);
  assert_int_equal(result.ending, GUARD_RETURNED);
  assert_int_equal(result.value, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stillness_is_ended),
      cmocka_unit_test(waiting_is_not_stillness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
