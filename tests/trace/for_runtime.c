// A loop whose schedule is set while the program runs.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
  omp_set_schedule(omp_sched_dynamic, 5);
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (int i = 0; i < 40; i++) {
#pragma omp atomic
    sum += i;
  }
  printf("sum %d\n", sum);
  return 0;
}
