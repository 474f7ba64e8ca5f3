/* All threads of a team compute for a while, and come one after another. */
#include <omp.h>

static void compute(double seconds) {
  for (double end = omp_get_wtime() + seconds; omp_get_wtime() < end;)
    __asm__ volatile("");
}

int main(void) {
  for (int i = 0; i < 3; i++) {
#pragma omp parallel
    compute(0.05);
  }
  return 0;
}
