/* What of a process's page faults and memory is read, of one that this test begins and ends. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "writer/kernel/life.h"

enum { TOUCHED = 64 << 20 };

void definitions_write_process_property(struct definitions *definitions, const char *name,
                                        const char *value) {
  (void)definitions, (void)name, (void)value;
}

/* Touches memory once the pipe is closed, and ends: the parent has not waited for it. */
static pid_t begin_child(int begin[2]) {
  assert_int_equal(pipe(begin), 0);
  pid_t child = fork();
  if (child == 0) {
    char byte, *memory = malloc(TOUCHED);
    close(begin[1]);
    ssize_t size = read(begin[0], &byte, 1);
    for (volatile char *page = memory; page < memory + TOUCHED; page += 1024)
      *page = 1;
    _exit(size != 0);
  }
  assert_true(child > 0);
  close(begin[0]);
  return child;
}

static void wait_for_end(pid_t child, int options) {
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | options), 0);
}

/* Its memory is gone, its faults are not: they would be more than the pages that it has been seen with, as of
 * memory that is given back. */
static void test_faults_are_of_the_time_of_the_memory(void **state) {
  (void)state;
  int begin[2];
  struct life life;
  pid_t child = begin_child(begin);
  life_begin(&life, child, 0, 0, 0);
  life_look(&life);
  uint64_t faults = life.faults, peak_pages = life.peak_pages;
  assert_true(peak_pages > 0);
  close(begin[1]);
  wait_for_end(child, WNOWAIT);
  life_look(&life);
  assert_int_equal(life.peak_pages, peak_pages);
  assert_int_equal(life.faults, faults);
  wait_for_end(child, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults_are_of_the_time_of_the_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
