/* busy COUNTS [THREADS [BURSTS [PAUSE_US]]]: threads that lock, unlock and make tasks, in bursts.
 *
 * What each has completed it counts in COUNTS, a file mapped shared, so that the numbers survive however the
 * process ends. BURSTS 0 never ends. 32 rounds and a pause of 1 ms make some 100,000 events a second and
 * thread. With BUSY_STOPS=N in the environment it stops itself (SIGSTOP) when each thread is through N
 * bursts. */
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "busy.h"
#include "counts.h"

enum { ROUNDS = 32 };

static struct busy_counts *counts;

static void burst(struct busy_counts *mine, omp_lock_t *lock) {
  for (int i = 0; i < ROUNDS; i++) {
    omp_set_lock(lock);
    mine->sets++;
    omp_unset_lock(lock);
    mine->unsets++;
  }
#pragma omp task
  __asm__ volatile("");
#pragma omp taskwait
  mine->tasks++;
}

/* The first thread does, when it has seen that the others have come as far. */
static void stop_late(uint64_t bursts) {
  for (int i = 0; i < omp_get_num_threads(); i++)
    while (counts[i].tasks < bursts)
      sched_yield();
  if (omp_get_thread_num() == 0)
    raise(SIGSTOP);
}

static void work(long bursts, long pause_us) {
  long stops = getenv("BUSY_STOPS") ? atol(getenv("BUSY_STOPS")) : 0;
  struct busy_counts *mine = &counts[omp_get_thread_num()];
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (long i = 0; bursts == 0 || i < bursts; i++) {
    burst(mine, &lock);
    if (i + 1 == stops)
      stop_late((uint64_t)stops);
    if (pause_us)
      usleep((useconds_t)pause_us);
  }
  omp_destroy_lock(&lock);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 98;
  int threads = argc > 2 ? atoi(argv[2]) : 2;
  long bursts = argc > 3 ? atol(argv[3]) : 0, pause_us = argc > 4 ? atol(argv[4]) : 1000;
  counts = counts_map(argv[1], BUSY_THREADS_MAX * sizeof *counts, 1);
  if (!counts)
    return 99;
#pragma omp parallel num_threads(threads)
  work(bursts, pause_us);
  uint64_t sets = 0;
  for (int i = 0; i < threads; i++)
    sets += counts[i].sets;
  printf("threads %d sets %lu\n", threads, (unsigned long)sets);
  return 7;
}
