// Loops without a barrier after them, of each schedule, and one that nobody runs through.
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      sum += i;
    }
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      sum += i;
    }
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      sum += i;
    }
#pragma omp for schedule(static) nowait
    for (int i = argc; i < 1; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
