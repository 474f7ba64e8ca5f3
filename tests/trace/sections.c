// Three sections for two threads, twice, with the barrier after them.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
  for (int round = 0; round < 2; round++) {
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      sum += 1;
#pragma omp section
#pragma omp atomic
      sum += 10;
#pragma omp section
#pragma omp atomic
      sum += 100;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
