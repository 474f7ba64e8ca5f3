/* kept COUNTS STEPS ENDING: two threads that lock, unlock and make tasks, step by step, and record by a
 * counter which step it was.
 *
 * The last completed step of each is in COUNTS, a file mapped shared. STEPS 0 never ends. ENDING: a number is
 * the exit status; "parallel" exits with 3 in a parallel region, "abort" aborts, "flush" and "flush-twice"
 * call stave_flush before the end, "slow" has a slow region then and some steps more, "halves" does so after
 * half of the steps and waits for a line then. "threads:500" has 500 threads before the steps, one after
 * another, that set a lock, and 3 for its exit status. "ms:20,300" has regions "slow" of so many ms then, and
 * after each prints its ns and waits for a line. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <stave/stave.h>

#include "counts.h"
#include "kept.h"

static struct flight_buffer_count *counts;

static void step(struct flight_buffer_count *mine, omp_lock_t *lock) {
  for (int i = 0; i < KEPT_LOCKS; i++) {
    omp_set_lock(lock);
    omp_unset_lock(lock);
  }
#pragma omp task
  __asm__ volatile("");
#pragma omp taskwait
  stave_counter_integer("step", "1", (int64_t)mine->steps + 1);
  mine->steps++;
}

static void work(long steps) {
  for (long done = 0; steps == 0 || done < steps; done += KEPT_STEPS_A_REGION) {
#pragma omp parallel num_threads(KEPT_THREADS)
    {
      omp_lock_t lock;
      omp_init_lock(&lock);
      for (int i = 0; i < KEPT_STEPS_A_REGION; i++)
        step(&counts[omp_get_thread_num()], &lock);
      omp_destroy_lock(&lock);
    }
  }
}

/* The one instance of two regions that takes 300 ms. */
static void slow(void) {
  stave_region_begin("slow");
#pragma omp parallel num_threads(KEPT_THREADS) /* the slow line */
  usleep(300000);
  stave_region_end(NULL);
}

static void *set_lock(void *unused) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return unused;
}

static int make_threads(long count) {
  pthread_t thread;
  for (long i = 0; i < count; i++)
    if (pthread_create(&thread, NULL, set_lock, NULL) != 0 || pthread_join(thread, NULL) != 0)
      return 93;
  return 3;
}

static void print_and_wait(void) {
  char answer[16];
  puts("half");
  fflush(stdout);
  if (!fgets(answer, sizeof answer, stdin))
    exit(97);
}

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int lock_and_release(const char *times) {
  char answer[16];
  for (char *end; *times; times = *end ? end + 1 : end) {
    long started = now_ns();
    stave_region_begin("slow");
    usleep((useconds_t)strtol(times, &end, 10) * 1000);
    stave_region_end(NULL);
    printf("%ld\n", now_ns() - started);
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin))
      return 94;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 98;
  long steps = atol(argv[2]);
  const char *ending = argv[3];
  counts = counts_map(argv[1], KEPT_THREADS * sizeof *counts, 1);
  if (!counts)
    return 99;
  omp_get_max_threads();
  if (strcmp(ending, "halves") == 0) {
    work(steps / 2);
    print_and_wait();
    work(steps / 2);
    print_and_wait();
    return 0;
  }
  int exit_status = strncmp(ending, "threads:", 8) == 0 ? make_threads(atol(ending + 8)) : atoi(ending);
  work(steps);
  if (strcmp(ending, "slow") == 0) {
    slow();
    work(KEPT_STEPS_A_REGION);
  }
  if (strncmp(ending, "ms:", 3) == 0)
    return lock_and_release(ending + 3);
  if (strcmp(ending, "abort") == 0)
    abort();
  if (strncmp(ending, "flush", 5) == 0 && stave_flush() != 0)
    return 96;
  if (strcmp(ending, "flush-twice") == 0 && stave_flush() != 0)
    return 95;
  if (strcmp(ending, "parallel") == 0) {
#pragma omp parallel num_threads(KEPT_THREADS)
    if (omp_get_thread_num() == 1)
      exit(3);
    else
      pause();
  }
  return exit_status;
}
