// Many blocks of one thread each, without barriers.
#include <stdio.h>

int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 20; i++) {
#pragma omp single nowait
    {
#pragma omp atomic
      count++;
    }
  }
  printf("count %d\n", count);
  return 0;
}
