// Sections without a barrier after them.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 4; i++) {
#pragma omp sections nowait
    {
#pragma omp section
      {
#pragma omp atomic
        sum += 1;
      }
#pragma omp section
      {
#pragma omp atomic
        sum += 2;
      }
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
