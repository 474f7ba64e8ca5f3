// A taskwait that waits for some tasks only.
#include <stdio.h>

int main(void) {
  int a = 0, b = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++) {
#pragma omp task depend(out : a) shared(a)
    a++;
#pragma omp task depend(out : b) shared(b)
    b++;
#pragma omp taskwait depend(in : a)
  }
  printf("a %d b %d\n", a, b);
  return 0;
}
