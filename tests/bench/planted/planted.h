/* What programs with a planted bottleneck of known size share, and their repaired twins: PROGRAM NAME
 * planted|repaired. Work is sleeping, so that neither few processors nor others' load change what the
 * bottleneck costs; STAVE_PLANTED_SPIN=1 makes it computing. `PLANT name` ends the line that the first
 * finding has to name.
 *
 * Both twins do the same work but for what is planted. Programs of costs that only computing has do a number
 * of steps (compute), not until some time has come, which would be no work for who has no processor. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_repaired, is_spinning;

static void spin(double ms) {
  double until = omp_get_wtime() + ms / 1000;
  while (omp_get_wtime() < until)
    ;
}

static void work(double ms) {
  struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  if (ms <= 0)
    return;
  if (is_spinning)
    spin(ms);
  else
    while (nanosleep(&time, &time))
      ;
}

static double steps_per_us;

static void step(long count) {
  volatile unsigned sum = 0; /* stored to at each step */
  for (long i = 0; i < count; i++)
    sum += (unsigned)i;
}

static double processor_s(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The fastest of some tries is the one that nobody disturbed. */
static void calibrate(void) {
  enum { TRIES = 20, STEPS = 20000 };
  for (int i = 0; i < TRIES; i++) {
    double begin = processor_s(CLOCK_THREAD_CPUTIME_ID);
    step(STEPS);
    double each = STEPS / (processor_s(CLOCK_THREAD_CPUTIME_ID) - begin) / 1e6;
    steps_per_us = each > steps_per_us ? each : steps_per_us;
  }
}

/* Works for so long, if it has a processor. */
static inline void compute(double us) {
  step((long)(us * steps_per_us));
}

struct planted {
  const char *name;
  void (*run)(void);
};

/* Prints the program's seconds, and those of processor time. Returns main's status. */
static int planted_main(int count, char **arguments, const struct planted *programs, size_t program_count) {
  is_repaired = count == 3 && strcmp(arguments[2], "repaired") == 0;
  is_spinning = getenv("STAVE_PLANTED_SPIN") != NULL;
  calibrate();
  for (size_t i = 0; count == 3 && i < program_count; i++)
    if (strcmp(programs[i].name, arguments[1]) == 0) {
#pragma omp parallel /* threads are made before the clock starts */
      work(1);
      double begin = omp_get_wtime(), processor = processor_s(CLOCK_PROCESS_CPUTIME_ID);
      programs[i].run();
      printf("%.6f %.6f\n", omp_get_wtime() - begin, processor_s(CLOCK_PROCESS_CPUTIME_ID) - processor);
      return 0;
    }
  fprintf(stderr, "usage: %s NAME planted|repaired\n", arguments[0]);
  return 2;
}
