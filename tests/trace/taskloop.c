// A loop cut into eight tasks.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(8) shared(sum)
  for (int i = 0; i < 80; i++) {
#pragma omp atomic
    sum += i;
  }
  printf("sum %d\n", sum);
  return 0;
}
