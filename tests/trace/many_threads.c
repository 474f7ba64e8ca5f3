// Sixteen threads, usually many more than processors, in twenty regions with a barrier.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int calls = 0;
  omp_set_dynamic(0);
  for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(16)
    {
#pragma omp atomic
      calls++;
#pragma omp barrier
    }
  }
  printf("calls %d\n", calls);
  return 0;
}
