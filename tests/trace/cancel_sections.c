// Sections that are cancelled.
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp cancel sections
      done++;
    }
#pragma omp section
    {
#pragma omp cancel sections
      done++;
    }
  }
  printf("done %d\n", done);
  return 0;
}
