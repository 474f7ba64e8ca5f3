// A solver that annotates its trace by stave.h: phases as regions of its own, its residual as a
// counter, what happens as messages, and a warm-up that is not recorded.
//
//   phases [SIZE [STEPS]]
//
// Compile it with -I and the folder in which stave/stave.h is; there is nothing to link with, and
// without a tool the calls do nothing. In its timeline: `setup`, then `solve` around parallel loops,
// in each step two `relax` and in every tenth a `check` and the counter `residual`, which goes down.
// Between the two lies a gap, the warm-up.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include <stave/stave.h>

static void relax(const double *from, double *to, int size) {
  stave_region_begin("relax");
#pragma omp parallel for schedule(static)
  for (int i = 1; i < size - 1; i++)
    to[i] = 0.25 * (from[i - 1] + 2 * from[i] + from[i + 1]);
  stave_region_end("relax");
}

static double check(const double *from, const double *to, int size) {
  double sum = 0;
  stave_region_begin("check");
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i < size - 1; i++)
    sum += fabs(to[i] - from[i]);
  stave_region_end("check");
  return sum;
}

static void solve(double *from, double *to, int size, int steps) {
  stave_region_begin("solve");
  for (int step = 1; step <= steps; step++) {
    relax(from, to, size);
    relax(to, from, size);
    if (step % 10 == 0)
      stave_counter_double("residual", "K", check(from, to, size));
  }
  stave_region_end("solve");
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 100000, steps = argc > 2 ? atoi(argv[2]) : 100;
  if (size < 3 || steps < 1) {
    fprintf(stderr, "usage: phases [SIZE [STEPS]]\n");
    return 2;
  }
  omp_get_max_threads(); // up to libomp 19 no tool is called before the first use of OpenMP
  stave_region_begin("setup");
  double *from = calloc((size_t)size, sizeof *from), *to = calloc((size_t)size, sizeof *to);
  if (!from || !to) {
    perror("phases");
    return 1;
  }
  from[0] = to[0] = 100;
  stave_region_end("setup");

  stave_pause();
  solve(from, to, size, 10);
  stave_start();

  stave_message("warmed up");
  solve(from, to, size, steps);
  printf("%.3f\n", from[1]);
  free(from);
  free(to);
  return 0;
}
