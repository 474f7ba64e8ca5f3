/* Whether a program's limits leave threads for it. */
#include "unit.h"

#include <sys/resource.h>

#include "base/limits.h"

/* A thread without memory for its stack fails as one that is too many. */
static void refused_memory_is_no_limit_on_threads(void **state) {
  struct rlimit data, threads, no_data;
  (void)state;
  assert_int_equal(getrlimit(RLIMIT_NPROC, &threads), 0);
  rlim_t many = threads.rlim_max < 60000 ? threads.rlim_max : 60000; /* else they are not looked at */
  assert_int_equal(setrlimit(RLIMIT_NPROC, &(struct rlimit){many, threads.rlim_max}), 0);
  assert_int_equal(getrlimit(RLIMIT_DATA, &data), 0);
  no_data = (struct rlimit){4096, data.rlim_max}; /* 0 is none to the kernel */
  assert_int_equal(setrlimit(RLIMIT_DATA, &no_data), 0);
  bool are_left = limits_leave_threads();
  assert_int_equal(setrlimit(RLIMIT_DATA, &data), 0);
  assert_true(are_left);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused_memory_is_no_limit_on_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
