// Ten thousand small tasks from both threads.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 5000; i++) {
#pragma omp task shared(done)
#pragma omp atomic
    done++;
  }
  printf("done %d\n", done);
  return 0;
}
