// A group in a task of a group.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 3; i++) {
#pragma omp task shared(done)
      {
#pragma omp taskgroup
        {
#pragma omp task shared(done)
#pragma omp atomic
          done++;
        }
#pragma omp atomic
        done++;
      }
    }
  }
  printf("done %d\n", done);
  return 0;
}
