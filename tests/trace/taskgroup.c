// A group waits for children and grandchildren.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 3; round++) {
#pragma omp taskgroup
    for (int i = 0; i < 4; i++) {
#pragma omp task shared(done)
      {
#pragma omp task shared(done)
#pragma omp atomic
        done++;
#pragma omp atomic
        done++;
      }
    }
  }
  printf("done %d\n", done);
  return 0;
}
