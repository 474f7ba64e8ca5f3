// A loop whose iterations wait for the one before: dependences of iterations.
#include <stdio.h>

int main(void) {
  int last[17] = {0};
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(static, 1)
  for (int i = 1; i < 17; i++) {
#pragma omp ordered depend(sink : i - 1)
    last[i] = last[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  printf("last %d\n", last[16]);
  return 0;
}
