// One thread makes a hundred tasks, both execute them.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(done)
#pragma omp atomic
    done++;
  }
  printf("done %d\n", done);
  return 0;
}
