// A group that its first task cancels: the others may be discarded.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
      {
#pragma omp cancel taskgroup
#pragma omp atomic
        done++;
      }
    }
  }
  printf("done %d\n", done);
  return 0;
}
