// The same region 1000 times: one team, one communicator, one region definition.
#include <stdio.h>

int main(void) {
  int calls = 0;
  for (int i = 0; i < 1000; i++) {
#pragma omp parallel
#pragma omp atomic
    calls++;
  }
  printf("calls %d\n", calls);
  return 0;
}
