/* Counts the points of the Mandelbrot set in a grid, row by row. */
#include <stdio.h>

enum { ROWS = 1200, COLUMNS = 1200, STEPS_MAX = 300 };

static int steps_of(double x, double y) {
  double re = 0, im = 0;
  int steps = 0;
  while (steps < STEPS_MAX && re * re + im * im < 4) {
    double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
    ++steps;
  }
  return steps;
}

int main(void) {
  long inside = 0;
#pragma omp parallel for
  for (int row = 0; row < ROWS; ++row) {
    long found = 0;
    for (int column = 0; column < COLUMNS; ++column) {
      found += steps_of(column * 2.5 / COLUMNS - 2, row * 1.2 / ROWS) == STEPS_MAX;
    }
#pragma omp critical
    inside += found;
  }
  printf("%ld points of %d are inside\n", inside, ROWS * COLUMNS);
  return 0;
}
