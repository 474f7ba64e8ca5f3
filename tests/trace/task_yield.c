// Tied tasks that yield: others run in between, on the same thread.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task shared(done)
    {
#pragma omp taskyield
#pragma omp atomic
      done++;
    }
  }
  printf("done %d\n", done);
  return 0;
}
