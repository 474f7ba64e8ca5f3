/* For how long a process was stopped, with one that this test stops and continues. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "writer/kernel/stops.h"

static pid_t begin_child(void) {
  pid_t parent = getpid(), child = fork();
  while (child == 0) {
    usleep(10000);
    if (getppid() != parent)
      _exit(0);
  }
  assert_true(child > 0);
  return child;
}

static void end_child(pid_t child) {
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

static void stop(pid_t child) {
  assert_int_equal(kill(child, SIGSTOP), 0);
  assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
}

static void go_on(pid_t child) {
  assert_int_equal(kill(child, SIGCONT), 0);
  assert_int_equal(waitpid(child, NULL, WCONTINUED), child);
}

/* Readings of 100 ms: the stop begins in one of which it ran 70, and ends in one of which it ran 40. */
static void test_edges_of_a_stop_count(void **state) {
  (void)state;
  struct stops stops = {.pid = begin_child()};
  assert_int_equal(stops_since(&stops, 100000, 60000, 0), 0);
  stop(stops.pid);
  assert_int_equal(stops_since(&stops, 100000, 70000, 0), 30000);
  assert_int_equal(stops_since(&stops, 100000, 0, 0), 100000);
  go_on(stops.pid);
  assert_int_equal(stops_since(&stops, 100000, 40000, 0), 60000);
  assert_int_equal(stops_since(&stops, 100000, 40000, 0), 0);
  end_child(stops.pid);
}

/* It has just been stopped; the threads' ready time may be more than what passed between two readings. */
static void test_who_was_busy_was_not_stopped(void **state) {
  (void)state;
  struct stops stops = {.pid = begin_child()};
  stop(stops.pid);
  assert_int_equal(stops_since(&stops, 100000, 95000, 0), 0);
  assert_int_equal(stops_since(&stops, 100000, 130000, 0), 0);
  go_on(stops.pid);
  assert_int_equal(stops_since(&stops, 100000, 10000, 0), 0);
  end_child(stops.pid);
}

/* Of readings that are late: together with this process for 75 s, beside a load for 0.2 s, by a timer. */
static void test_who_was_stopped_with_this_process_was_stopped(void **state) {
  (void)state;
  struct stops stops = {.pid = getpid()};
  stops_overslept(&stops, 75000000);
  assert_int_equal(stops_since(&stops, 75100000, 60000, 1000), 74999000);
  assert_int_equal(stops_since(&stops, 100000, 0, 0), 0);
  stops_overslept(&stops, 200000);
  assert_int_equal(stops_since(&stops, 300000, 0, 190000), 0);
  stops_overslept(&stops, 4000);
  assert_int_equal(stops_since(&stops, 100000, 0, 0), 0);
}

/* Readings of many threads are ten seconds apart. */
static void test_many_naps_that_are_a_bit_late_are_no_stop(void **state) {
  (void)state;
  struct stops stops = {.pid = getpid()};
  for (int i = 0; i < 2000; i++)
    stops_overslept(&stops, 60);
  assert_int_equal(stops_since(&stops, 9386000, 2374000, 5000), 0);
}

/* The program went on while this process was stopped alone, or did so for a part of that time. */
static void test_who_went_on_meanwhile_was_not(void **state) {
  (void)state;
  struct stops stops = {.pid = getpid()};
  stops_overslept(&stops, 2000000);
  assert_int_equal(stops_since(&stops, 2100000, 2000000, 0), 0);
  stops_overslept(&stops, 2000000);
  assert_int_equal(stops_since(&stops, 2100000, 500000, 0), 1600000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edges_of_a_stop_count),
      cmocka_unit_test(test_who_was_busy_was_not_stopped),
      cmocka_unit_test(test_who_was_stopped_with_this_process_was_stopped),
      cmocka_unit_test(test_many_naps_that_are_a_bit_late_are_no_stop),
      cmocka_unit_test(test_who_went_on_meanwhile_was_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
