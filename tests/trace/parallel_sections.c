// Region and sections in one construct.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel sections num_threads(2)
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
#pragma omp section
    {
#pragma omp atomic
      sum += 4;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
