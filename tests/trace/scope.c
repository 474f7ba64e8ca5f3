// Blocks that all threads execute; what no compiler here names is an inlined block and a reduction.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp scope reduction(+ : sum)
    sum += 3;
  }
  printf("sum %d\n", sum);
  return 0;
}
