// A static loop, ten times in one region: iterations are dealt out beforehand.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
  for (int round = 0; round < 10; round++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
