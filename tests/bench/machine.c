/* machine WORKLOAD COUNT: what STAVE_COUNTERS, STAVE_KEEP and STAVE_SYSTEM cost is measured by. Prints
 * "ready", waits for a line, does the workload, prints "done" and waits for another line.
 *
 * regions: begins and ends an empty loop. locks: acquires and releases a lock, in bursts that fit into a
 * ring, with rests in which the writer reads all of it. sleeps: two threads sleep for a moment. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { BURST = 20000, REST_NS = 30000000, SLEEP_NS = 100000 };

static void rest(long ns) {
  clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, ns}, NULL);
}

static void regions(long count) {
#pragma omp parallel num_threads(1)
  for (long i = 0; i < count; i++) {
#pragma omp for nowait
    for (int one = 0; one < 1; one++)
      __asm__ volatile("");
    if (i % BURST == 0)
      rest(REST_NS);
  }
}

static void locks(long count) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (long i = 0; i < count; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    if (i % BURST == 0)
      rest(REST_NS);
  }
  omp_destroy_lock(&lock);
}

static void sleeps(long count) {
#pragma omp parallel num_threads(2)
  {
    prctl(PR_SET_TIMERSLACK, 1);
    for (long i = 0; i < count; i++)
      rest(SLEEP_NS);
  }
}

static int print_and_wait(const char *text) {
  char line[16];
  puts(text);
  fflush(stdout);
  return fgets(line, sizeof line, stdin) != NULL;
}

int main(int argc, char **argv) {
  long count = argc == 3 ? atol(argv[2]) : 0;
#pragma omp parallel num_threads(2)
  rest(1);
  if (count <= 0 || !print_and_wait("ready"))
    return 2;
  if (strcmp(argv[1], "regions") == 0)
    regions(count);
  else if (strcmp(argv[1], "locks") == 0)
    locks(count);
  else
    sleeps(count);
  return !print_and_wait("done");
}
