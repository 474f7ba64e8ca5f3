// Final tasks: the tasks they create are executed within them.
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task shared(done) final(argc > 0)
    {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
#pragma omp atomic
      done++;
    }
  }
  printf("done %d\n", done);
  return 0;
}
