/* When the writer leaves the processor to others. */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "session/clock.h"
#include "writer/kernel/pace.h"

enum { MS = 1000000, FAR_TOO_MANY = 1 << 30 };

static uint64_t held_ns; /* what the monotonic clock shows, however busy the machine is; 0: the time */

/* The C library's. */
int clock_gettime(clockid_t clock, struct timespec *ret) {
  if (held_ns == 0 || clock != CLOCK_MONOTONIC)
    return (int)syscall(SYS_clock_gettime, clock, ret);
  *ret = (struct timespec){(time_t)(held_ns / 1000000000), (long)(held_ns % 1000000000)};
  return 0;
}

static struct pace opened(unsigned processors) {
  struct pace pace;
  struct clock_point start = clock_sample(CLOCK_KIND_MONOTONIC);
  pace_open(&pace, (unsigned)sysconf(_SC_NPROCESSORS_ONLN), getpid(), CLOCK_KIND_MONOTONIC, &start);
  pace.processors = processors;
  return pace;
}

/* The caller runs, and that is more than none. */
static void others_have_the_processor_until_records_have_waited_too_long(void **state) {
  (void)state;
  struct pace pace = opened(0);
  if (pace.loads < 0)
    skip();
  assert_true(pace_yields_cpu(&pace, 0));
  assert_true(pace_yields_cpu(&pace, PACE_WAITED_MAX_NS - 1));
  assert_false(pace_yields_cpu(&pace, PACE_WAITED_MAX_NS));
  assert_false(pace_yields_cpu(&pace, PACE_WAITED_MAX_NS / 2)); /* no way back and forth at the bound */
  assert_true(pace_yields_cpu(&pace, PACE_WAITED_MAX_NS / 2 - 1));
  assert_true(pace_yields_cpu(&pace, PACE_WAITED_MAX_NS - 1));
  pace_close(&pace);
}

static void a_writer_that_is_alone_goes_on(void **state) {
  (void)state;
  struct pace pace = opened(FAR_TOO_MANY);
  assert_false(pace_yields_cpu(&pace, 0));
  pace_close(&pace);
}

/* Where what waits is safe it does so until the processors have sufficed for a while. */
static void a_writer_with_a_log_waits_for_a_calm_time(void **state) {
  (void)state;
  struct pace pace = opened(FAR_TOO_MANY);
  if (pace.loads < 0)
    skip();
  assert_false(pace_yields_until_calm(&pace));
  pace.processors = 0;
  assert_true(pace_yields_until_calm(&pace));
  pace.processors = FAR_TOO_MANY;
  uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  for (int i = 0; i < 3; i++, usleep(PACE_CALM_NS / 1000)) {
    bool yields = pace_yields_until_calm(&pace);
    if (clock_ns(CLOCK_MONOTONIC) - begin < PACE_CALM_NS)
      assert_true(yields);
  }
  assert_false(pace_yields_until_calm(&pace));
  pace.processors = 0;
  assert_true(pace_yields_until_calm(&pace));
  usleep(2 * PACE_CALM_NS / 1000);
  pace.processors = FAR_TOO_MANY;
  assert_true(pace_yields_until_calm(&pace)); /* nobody has looked meanwhile */
  pace_close(&pace);
}

static void look_for_ms(struct pace *pace, unsigned ms) {
  for (unsigned i = 0; i < ms; i++, held_ns += MS)
    pace_free(pace);
}

/* More of them after some ms, fewer with the next look. */
static void processors_are_free_once_nobody_has_had_them_for_a_while(void **state) {
  (void)state;
  struct pace pace = opened(FAR_TOO_MANY);
  if (pace.loads < 0)
    skip();
  held_ns = clock_ns(CLOCK_MONOTONIC);
  assert_int_equal(pace_free(&pace), 0);
  look_for_ms(&pace, 20);
  assert_true(pace_free(&pace) > FAR_TOO_MANY / 2);
  pace.processors = 1;
  assert_int_equal(pace_free(&pace), 0);
  pace.processors = FAR_TOO_MANY;
  assert_int_equal(pace_free(&pace), 0);
  look_for_ms(&pace, 20);
  held_ns += 20 * (uint64_t)MS;
  assert_int_equal(pace_free(&pace), 0); /* nobody has looked meanwhile */
  pace_close(&pace);
}

static int let_clock_go(void **state) {
  (void)state;
  held_ns = 0;
  return 0;
}

/* They are not others. */
static void helpers_make_no_processor_scarce(void **state) {
  (void)state;
  struct pace pace = opened(0);
  if (pace.loads < 0)
    skip();
  assert_true(pace_is_contended(&pace));
  pace.helpers = FAR_TOO_MANY;
  assert_false(pace_is_contended(&pace));
  pace_close(&pace);
}

static pid_t start_busy_program(void) {
  pid_t pid = fork();
  if (pid == 0)
    for (volatile int i = 0;; i++) {
    }
  return pid;
}

/* Waits as long as for what hangs: a busy machine is no fault. */
static bool becomes(struct pace *pace, bool is_contended, bool is_resting) {
  uint64_t end = clock_ns(CLOCK_MONOTONIC) + 600000 * (uint64_t)MS;
  while (clock_ns(CLOCK_MONOTONIC) < end) {
    if (pace_is_contended(pace) == is_contended)
      return true;
    if (is_resting)
      usleep(1000);
  }
  return false;
}

/* A program and its writer that may use one processor of several, as a job scheduler binds them. */
static void the_program_keeps_the_part_that_it_uses(void **state) {
  (void)state;
  cpu_set_t before, one;
  sched_getaffinity(0, sizeof before, &before);
  if (CPU_COUNT(&before) < 2)
    skip();
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  pid_t program = start_busy_program();
  struct pace pace;
  struct clock_point start = clock_sample(CLOCK_KIND_MONOTONIC);
  pace_open(&pace, 1, program, CLOCK_KIND_MONOTONIC, &start);
  assert_false(pace_is_contended(&pace));
  assert_true(becomes(&pace, true, false)); /* both run */
  kill(program, SIGSTOP);
  assert_true(becomes(&pace, false, true)); /* its processor is free */
  kill(program, SIGCONT);
  assert_true(becomes(&pace, true, false));
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  pace_close(&pace);
  sched_setaffinity(0, sizeof before, &before);
}

/* A clock of two ticks a nanosecond. */
static void waits_are_reported_in_nanoseconds(void **state) {
  (void)state;
  struct pace pace = opened(1);
  uint64_t now = clock_ns(CLOCK_MONOTONIC), second = UINT64_C(1000000000);
  pace.start.monotonic_ns = now - 100 * second;
  pace.start.ticks = now - 200 * second;
  uint64_t waited = pace_waited_ns(&pace, now - 20 * second);
  uint64_t passed = clock_ns(CLOCK_MONOTONIC) - now; /* on both clocks */
  assert_in_range(waited, 10 * second - MS - passed, 10 * second + MS + passed);
  assert_int_equal(pace_waited_ns(&pace, UINT64_MAX), 0);
  pace.start.ticks = UINT64_MAX;
  assert_int_equal(pace_waited_ns(&pace, now - second), 0);
  pace_close(&pace);
}

/* Not longer than a record may wait; and short where a calm time may begin. */
static void naps_are_long_while_others_need_the_processors(void **state) {
  (void)state;
  struct pace pace = opened(0);
  if (pace.loads < 0)
    skip();
  assert_true(pace_yields_until_calm(&pace));
  assert_int_equal(pace_nap(&pace, 0), PACE_NAP_NS);
  assert_int_equal(pace_nap(&pace, PACE_WAITED_MAX_NS - PACE_NAP_NS), PACE_NAP_NS);
  assert_int_equal(pace_nap(&pace, PACE_WAITED_MAX_NS - 20 * MS), 20 * MS);
  assert_int_equal(pace_nap(&pace, UINT64_MAX), MS);
  pace_free(&pace); /* it was calm, so others may need only a moment */
  assert_in_range(pace_nap(&pace, 0), MS, PACE_CALM_NS / 2);
  assert_int_equal(pace_nap(&pace, 0), PACE_NAP_NS);
  pace.processors = FAR_TOO_MANY;
  assert_true(pace_yields_until_calm(&pace));
  assert_in_range(pace_nap(&pace, 0), MS, PACE_CALM_NS / 2);
  pace.processors = 0;
  assert_true(pace_yields_cpu(&pace, 0));
  assert_int_equal(pace_nap(&pace, 0), PACE_NAP_NS);
  pace_close(&pace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_have_the_processor_until_records_have_waited_too_long),
      cmocka_unit_test(a_writer_that_is_alone_goes_on),
      cmocka_unit_test(a_writer_with_a_log_waits_for_a_calm_time),
      cmocka_unit_test_teardown(processors_are_free_once_nobody_has_had_them_for_a_while, let_clock_go),
      cmocka_unit_test(helpers_make_no_processor_scarce),
      cmocka_unit_test(the_program_keeps_the_part_that_it_uses),
      cmocka_unit_test(naps_are_long_while_others_need_the_processors),
      cmocka_unit_test(waits_are_reported_in_nanoseconds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
