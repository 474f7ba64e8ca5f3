// Every type of dependence that both compilers know.
#include <stdio.h>

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(in : x) depend(inout : y) shared(x, y)
    y = x;
#pragma omp task depend(mutexinoutset : y) shared(y)
    y++;
#pragma omp task depend(mutexinoutset : y) shared(y)
    y++;
  }
  printf("x %d y %d\n", x, y);
  return 0;
}
