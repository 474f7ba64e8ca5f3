// A chain of tasks held together by dependences: each reads what the one before wrote.
#include <stdio.h>

int main(void) {
  int cell[21] = {1};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(cell) depend(in : cell[i]) depend(out : cell[i + 1])
    cell[i + 1] = cell[i] + 1;
  }
  printf("last %d\n", cell[20]);
  return 0;
}
