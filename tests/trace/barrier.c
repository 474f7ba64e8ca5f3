// Ten explicit barriers in one region.
#include <stdio.h>

int main(void) {
  int calls = 0;
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
#pragma omp atomic
    calls++;
#pragma omp barrier
  }
  printf("calls %d\n", calls);
  return 0;
}
