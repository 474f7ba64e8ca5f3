// Waiting immediately for dependences that do no harm: all are recorded, until one comes that does.
#include <stdio.h>

static int a, x;

static void waits(void) {
#pragma omp task depend(out : a)
  a++;
#pragma omp task depend(inout : a) if (0)
  a++;
#pragma omp taskwait depend(in : a)
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 100; i++)
      waits();
#pragma omp task depend(mutexinoutset : x) if (0)
    x++;
    waits();
  }
  printf("a %d x %d\n", a, x);
  return 0;
}
