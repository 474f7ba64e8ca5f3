/* Serial work, parallel work, a barrier that one thread waits at, and a lock that one thread waits for: each
 * uses as much of a processor's time as requested, whatever else runs, on two threads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 100000 }; /* between two looks at the clock: most samples are to be in work_for itself */

static omp_lock_t lock;

static double own_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void work_for(double seconds) {
  double end = own_seconds() + seconds;
  while (own_seconds() < end)
    for (int i = 0; i < ROUNDS; i++)
      __asm__ volatile("");
}

__attribute__((noinline)) static void serial_phase(double seconds) {
  work_for(seconds);
}

static void parallel_phase(double seconds) {
#pragma omp parallel
  work_for(seconds);
}

static void barrier_phase(double seconds) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
      work_for(seconds);
#pragma omp barrier
  }
}

/* Thread 1 waits for what thread 0 holds. */
static void lock_phase(double seconds) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      work_for(seconds);
    else
      omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  omp_init_lock(&lock);
  serial_phase(seconds);
  parallel_phase(seconds);
  barrier_phase(seconds);
  lock_phase(seconds);
  printf("done\n");
  return 0;
}
