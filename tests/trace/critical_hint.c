// A critical section with a hint.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp critical(named) hint(omp_sync_hint_contended)
    count++;
  }
  printf("count %d\n", count);
  return 0;
}
