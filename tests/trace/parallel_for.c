// Region and loop in one construct.
#include <stdio.h>

int main(void) {
  int sum = 0;
  for (int round = 0; round < 5; round++) {
#pragma omp parallel for num_threads(2) schedule(dynamic, 3)
    for (int i = 0; i < 30; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
