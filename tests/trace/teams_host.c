// A league on the host: two teams of two threads.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int calls = 0;
#pragma omp teams num_teams(2) thread_limit(2)
  {
#pragma omp parallel num_threads(2)
#pragma omp atomic
    calls++;
  }
  printf("calls %d\n", calls);
  return 0;
}
