// Regions of one thread: by clause, by condition, and inside an active region without nesting.
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  int calls = 0;
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(1)
  calls++;
#pragma omp parallel if (argc > 5)
  calls++;
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
#pragma omp atomic
    calls++;
  }
  printf("calls %d\n", calls);
  return 0;
}
