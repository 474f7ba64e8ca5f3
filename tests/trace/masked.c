// Blocks of the primary thread only.
#include <stdio.h>

int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 5; i++) {
#pragma omp master
    count++;
#pragma omp barrier
  }
  printf("count %d\n", count);
  return 0;
}
