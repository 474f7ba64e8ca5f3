// A dynamic loop, ten times in one region: threads fetch four iterations at a time.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
  for (int round = 0; round < 10; round++) {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
