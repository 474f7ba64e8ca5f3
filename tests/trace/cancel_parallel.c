// A region whose threads all leave together.
#include <stdio.h>

int main(void) {
  int ends = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp cancel parallel
#pragma omp atomic
    ends++;
  }
  printf("ends %d\n", ends);
  return 0;
}
