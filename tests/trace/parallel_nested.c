// Two levels, two threads each: every member of the outer team is the primary of an inner one.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int calls = 0;
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
      calls++;
    }
  }
  printf("calls %d\n", calls);
  return 0;
}
