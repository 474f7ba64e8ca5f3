// Heat in a rod, on a device by OpenMP's target constructs.
//
//   heat [STEPS [CELLS]]
//
// The rod stays on the device for all steps; only the sum of each hundredth step comes back, and the
// host waits for it. In a report with the device's own times: kernels by their lines, one copy of the
// rod in each direction, and what the device waits for between two of them. Without a device it runs
// on the host.
//
// For NVIDIA's: clang -g -O2 -fopenmp --offload-arch=native heat.c -o heat
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPORT_EVERY = 100 };

static void step(const double *from, double *to, int cells) {
#pragma omp target teams distribute parallel for map(to : from[:cells]) map(tofrom : to[:cells])
  for (int i = 1; i < cells - 1; i++)
    to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
}

static double sum_of(const double *rod, int cells) {
  double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : rod[:cells]) map(tofrom : sum)
  for (int i = 0; i < cells; i++)
    sum += rod[i];
  return sum;
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 400, cells = argc > 2 ? atoi(argv[2]) : 1 << 16;
  double *rods[2], sum = 0;
  if (steps < 1 || cells < 3)
    return 2;
  for (int i = 0; i < 2; i++)
    rods[i] = calloc((size_t)cells, sizeof *rods[i]);
  if (!rods[0] || !rods[1])
    return 1;
  double *first = rods[0], *second = rods[1];
  first[cells / 2] = second[cells / 2] = 1000;
#pragma omp target data map(tofrom : first[:cells], second[:cells])
  for (int i = 0; i < steps; i++) {
    step(i % 2 ? second : first, i % 2 ? first : second, cells);
    if (i % REPORT_EVERY == 0)
      sum = sum_of(i % 2 ? first : second, cells);
  }
  printf("%d devices, heat %.3f\n", omp_get_num_devices(), sum);
  free(first);
  free(second);
  return 0;
}
