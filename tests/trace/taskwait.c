// A thread waits for its children, five times, and once where it has none.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 4; i++) {
#pragma omp task shared(done)
#pragma omp atomic
        done++;
      }
#pragma omp taskwait
    }
#pragma omp taskwait
  }
  printf("done %d\n", done);
  return 0;
}
