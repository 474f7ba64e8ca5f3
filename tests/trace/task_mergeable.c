// Mergeable tasks, undeferred and deferred.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 5; i++) {
#pragma omp task mergeable if (i % 2) shared(done)
    {
#pragma omp atomic
      done++;
    }
  }
  printf("done %d\n", done);
  return 0;
}
