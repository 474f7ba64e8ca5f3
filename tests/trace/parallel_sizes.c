// Teams of four, two and four threads: those left out keep their old barrier open meanwhile.
#include <omp.h>
#include <stdio.h>

static int calls;

static void region(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp atomic
  calls++;
}

int main(void) {
  omp_set_dynamic(0);
  region(4);
  region(2);
  region(4);
  printf("calls %d\n", calls);
  return 0;
}
