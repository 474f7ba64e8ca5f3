// Tasks that their creator executes immediately.
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(done) if (argc > 5)
    done++;
  }
  printf("done %d\n", done);
  return 0;
}
