// One program with a part for each reason not to scale: look at it with
//
//   stave scale -- ./scaling
//
//   clang -g -O2 -fopenmp scaling.c -o scaling
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORK = 20000000, CELLS = 1 << 23, SMALL = 2000, SECTIONS = 4000 };

static double work(long steps) {
  double x = 1;
  for (long i = 0; i < steps; i++)
    x = x * 0.999999 + 1e-6;
  return x;
}

// Scales: each thread has its own share and nothing else.
static double scales(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 64; i++)
    sum += work(WORK / 64);
  return sum;
}

// Memory: two reads and a write for an addition.
static void moves(double *a, const double *b, const double *c) {
  for (int turn = 0; turn < 4; turn++)
#pragma omp parallel for
    for (int i = 0; i < CELLS; i++)
      a[i] = b[i] + 3 * c[i];
}

// Too small regions: the fork of a team is as long as its work.
static double small(double *a) {
  for (int turn = 0; turn < SMALL; turn++)
#pragma omp parallel for
    for (int i = 0; i < 512; i++)
      a[i] += 1;
  return a[0];
}

// A lock around a half of the work.
static double locked(void) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < SECTIONS; i++) {
    double own = work(WORK / 8 / SECTIONS);
#pragma omp critical
    sum += own + work(WORK / 8 / SECTIONS);
  }
  return sum;
}

// The first iterations have most to do, and one thread has them all.
static double uneven(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int i = 0; i < 64; i++)
    sum += work(WORK / 64 / (i + 1));
  return sum;
}

int main(void) {
  double *a = calloc(CELLS, sizeof *a), *b = calloc(CELLS, sizeof *b), *c = calloc(CELLS, sizeof *c);
  if (!a || !b || !c)
    return 1;
  double sum = scales() + locked() + uneven() + small(a);
  moves(a, b, c);
  sum += work(WORK / 8); // a serial part between regions
  sum += scales();
  printf("%d threads: %g\n", omp_get_max_threads(), sum + a[0]);
  free(a);
  free(b);
  free(c);
  return 0;
}
