// Ordered blocks in a static loop; every other iteration has none.
#include <stdio.h>

int main(void) {
  int last = -1, in_order = 1;
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 20; i++) {
    if (i % 2 == 0) {
#pragma omp ordered
      {
        in_order &= i > last;
        last = i;
      }
    }
  }
  printf("in order %d\n", in_order);
  return 0;
}
