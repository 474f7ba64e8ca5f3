// One thread executes the block, the other waits after it; once without waiting.
#include <stdio.h>

int main(void) {
  int executed = 0;
#pragma omp parallel
  {
    for (int round = 0; round < 5; round++) {
#pragma omp single
      executed++;
    }
#pragma omp single nowait
    executed++;
  }
  printf("executed %d\n", executed);
  return 0;
}
