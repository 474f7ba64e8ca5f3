// The runtime is given up in the middle of the program: the archive ends there.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int calls = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  calls++;
  int paused = omp_pause_resource_all(omp_pause_hard);
  printf("calls %d paused %d\n", calls, paused);
  return 0;
}
