// A loop cut into tasks of at least ten iterations, without a group around them.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop grainsize(10) nogroup shared(sum)
    for (int i = 0; i < 40; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
