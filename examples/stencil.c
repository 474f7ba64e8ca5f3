// Heat that spreads over a plate: a loop-parallel two-dimensional stencil.
//
//   stencil [SIZE [STEPS]]
//
// In its timeline: one parallel region from end to end; in each step a loop on every thread, its
// implicit barrier, and a short single in which one thread swaps the two plates. The loop is even,
// so the barriers' time is the cost of synchronisation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *new_plate(int size) {
  double *plate = calloc((size_t)size * size, sizeof *plate);
  if (!plate) {
    perror("stencil");
    exit(1);
  }
  for (int i = 0; i < size; i++)
    plate[i] = 100.0; // the upper edge is hot and stays so
  return plate;
}

static void heat_row(const double *from, double *to, int size, int row) {
  for (int column = 1; column < size - 1; column++) {
    const double *cell = &from[(size_t)row * size + column];
    to[(size_t)row * size + column] = 0.25 * (cell[-size] + cell[size] + cell[-1] + cell[1]);
  }
}

static double *spread(double *from, double *to, int size, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
    for (int row = 1; row < size - 1; row++)
      heat_row(from, to, size, row);
#pragma omp single
    {
      double *swap = from;
      from = to;
      to = swap;
    }
  }
  return from;
}

static double sum_of(const double *plate, int size) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < size * size; i++)
    sum += plate[i];
  return sum;
}

// The plate is symmetric, and the heat stays between the edges' temperatures.
static int is_plausible(const double *plate, int size) {
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++) {
      double here = plate[(size_t)row * size + column];
      double mirrored = plate[(size_t)row * size + size - 1 - column];
      if (here < 0 || here > 100 || fabs(here - mirrored) > 1e-9)
        return 0;
    }
  return 1;
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 500;
  int steps = argc > 2 ? atoi(argv[2]) : 100;
  if (size < 3 || size > 30000 || steps < 1) {
    fprintf(stderr, "usage: stencil [SIZE (3..30000) [STEPS]]\n");
    return 2;
  }
  double *from = new_plate(size), *to = new_plate(size);
  const double *result = spread(from, to, size, steps);
  int is_right = is_plausible(result, size);
  printf("stencil %dx%d, %d steps: heat %.3f, %s\n", size, size, steps, sum_of(result, size),
         is_right ? "right" : "WRONG");
  free(from);
  free(to);
  return !is_right;
}
