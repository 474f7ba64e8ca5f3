// Flushes by both threads.
#include <stdio.h>

int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 4; i++) {
#pragma omp flush
#pragma omp atomic
    count++;
  }
  printf("count %d\n", count);
  return 0;
}
