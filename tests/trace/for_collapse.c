// Two loops as one.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp for collapse(2) schedule(dynamic, 10)
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++) {
#pragma omp atomic
      sum += i * j;
    }
  printf("sum %d\n", sum);
  return 0;
}
