// A guided loop, ten times in one region: threads fetch ever smaller parts.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
  for (int round = 0; round < 10; round++) {
#pragma omp for schedule(guided)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
