// A loop whose iterations are parallel regions.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
  for (int i = 0; i < 6; i++) {
#pragma omp parallel num_threads(2)
#pragma omp critical
    sum += i;
  }
  printf("sum %d\n", sum);
  return 0;
}
