// Threads bound to places.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int calls = 0;
#pragma omp parallel num_threads(2) proc_bind(spread)
#pragma omp atomic
  calls++;
#pragma omp parallel num_threads(2) proc_bind(close)
#pragma omp atomic
  calls++;
  printf("calls %d\n", calls);
  return 0;
}
