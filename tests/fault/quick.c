// One small region, a line of output and an exit status of its own: for tests of everything else.
#include <stdio.h>

int main(void) {
  int calls = 0;
#pragma omp parallel
#pragma omp atomic
  calls++;
  printf("calls %d\n", calls);
  return 7;
}
