/* What programs with a planted bottleneck of known size share, and their repaired twins: PROGRAM NAME
 * planted|repaired. Work is sleeping, so that neither few processors nor others' load change what the
 * bottleneck costs; STAVE_PLANTED_SPIN=1 makes it computing. `PLANT name` ends the line that the first
 * finding has to name.
 *
 * Both twins do the same work but for what is planted. */
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

struct planted {
  const char *name;
  void (*run)(void);
};

/* Prints how many seconds the program took. Returns main's status. */
static int planted_main(int count, char **arguments, const struct planted *programs, size_t program_count) {
  is_repaired = count == 3 && strcmp(arguments[2], "repaired") == 0;
  is_spinning = getenv("STAVE_PLANTED_SPIN") != NULL;
  for (size_t i = 0; count == 3 && i < program_count; i++)
    if (strcmp(programs[i].name, arguments[1]) == 0) {
#pragma omp parallel /* threads are made before the clock starts */
      work(1);
      double begin = omp_get_wtime();
      programs[i].run();
      printf("%.6f\n", omp_get_wtime() - begin);
      return 0;
    }
  fprintf(stderr, "usage: %s NAME planted|repaired\n", arguments[0]);
  return 2;
}
