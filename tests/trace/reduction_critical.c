// A reduction by critical sections: the only method whose events the runtime delivers, but for trees.
#include <stdio.h>

int main(void) {
  long a = 0, b = 0, c = 0, d = 0;
#pragma omp parallel for reduction(+ : a, b, c, d) num_threads(4)
  for (int i = 0; i < 1000; i++) {
    a += i;
    b += i * 2;
    c += i * 3;
    d += i * 4;
  }
  printf("%ld %ld %ld %ld\n", a, b, c, d);
  return 0;
}
