// Waiting immediately for dependences of the types at which LLVM's runtime writes past an array, if a tool
// registers for them.
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 500; i++) {
#pragma omp task shared(sum)
    {
      int x = 0;
#pragma omp task depend(mutexinoutset : x) shared(x)
      x = 1;
#pragma omp task depend(mutexinoutset : x) if (0) shared(x)
      x++;
#pragma omp taskwait
#pragma omp atomic
      sum++;
    }
  }
  printf("%d\n", sum);
  return 0;
}
