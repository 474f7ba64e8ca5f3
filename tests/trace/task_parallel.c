// Parallel regions inside of tasks: nested, and in the serial part.
#include <omp.h>
#include <stdio.h>

static int calls;

static void in_task(void) {
#pragma omp task
  {
#pragma omp parallel num_threads(2)
#pragma omp atomic
    calls++;
  }
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++)
    in_task();
  in_task();
#pragma omp taskwait
  printf("calls %d\n", calls);
  return 0;
}
