// Big and small teams in turn: a worker that a smaller team leaves out keeps its old barrier open.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int calls = 0;
  omp_set_dynamic(0);
  for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(i % 2 ? 2 : 4)
#pragma omp atomic
    calls++;
  }
  printf("calls %d\n", calls);
  return 0;
}
