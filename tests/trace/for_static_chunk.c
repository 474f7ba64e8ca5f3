// Iterations dealt out round about, four at a time.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static, 4)
  for (int i = 0; i < 40; i++) {
#pragma omp atomic
    sum += i;
  }
  printf("sum %d\n", sum);
  return 0;
}
