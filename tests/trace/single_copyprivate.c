// What one thread has read, all have.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    int value;
#pragma omp single copyprivate(value)
    value = 21;
#pragma omp atomic
    sum += value;
  }
  printf("sum %d\n", sum);
  return 0;
}
