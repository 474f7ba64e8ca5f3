/* Functions whose share of the time is known, since each measures its own processor time: two in the serial
 * part, two in a parallel region, one while others wait for a lock, and a team that waits at a barrier for
 * its first thread. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 100000, STEPS = 40 };

static double own_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Most samples are to be in the function itself, not in the clock's. */
#define HOT(name)                                                                                            \
  static double name##_seconds;                                                                              \
  __attribute__((noinline)) static void name(double seconds) {                                               \
    double begin = own_seconds(), now = begin;                                                               \
    for (; now < begin + seconds; now = own_seconds())                                                       \
      for (int i = 0; i < ROUNDS; i++)                                                                       \
        __asm__ volatile("");                                                                                \
    _Pragma("omp atomic") name##_seconds += now - begin;                                                     \
  }

HOT(serial_most)
HOT(serial_rest)
HOT(region_most)
HOT(region_rest)
HOT(locked)
HOT(slow_thread)

int main(int argc, char **argv) {
  double step = (argc > 1 ? atof(argv[1]) : 1.0) / STEPS;
  for (int i = 0; i < STEPS; i++) {
    serial_most(0.3 * step);
    serial_rest(0.1 * step);
  }
#pragma omp parallel num_threads(2)
  for (int i = 0; i < STEPS; i++) {
    region_most(0.2 * step);
    region_rest(0.1 * step);
  }
#pragma omp parallel num_threads(2)
  for (int i = 0; i < STEPS; i++) {
#pragma omp critical
    locked(0.2 * step);
  }
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    slow_thread(0.3);
  printf("serial_most %f\nserial_rest %f\nregion_most %f\nregion_rest %f\nlocked %f\nslow_thread %f\n",
         serial_most_seconds, serial_rest_seconds, region_most_seconds, region_rest_seconds, locked_seconds,
         slow_thread_seconds);
  return 0;
}
