// Target regions with dependences, encountered by a worker in its second region.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int x = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
#pragma omp task depend(out : x) shared(x)
      x++;
#pragma omp target depend(inout : x) map(tofrom : x)
      x++;
    }
  }
  printf("%d\n", x);
  return 0;
}
