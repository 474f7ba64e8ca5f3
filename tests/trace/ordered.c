// Blocks in the order of the iterations, whichever thread has them.
#include <stdio.h>

int main(void) {
  int last = -1, in_order = 1;
#pragma omp parallel
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < 12; i++) {
#pragma omp ordered
    {
      in_order &= i == last + 1;
      last = i;
    }
  }
  printf("in order %d\n", in_order);
  return 0;
}
