// Both threads create tasks and execute them, whoever's they are, at the barrier.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
    }
#pragma omp barrier
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
    }
  }
  printf("done %d\n", done);
  return 0;
}
