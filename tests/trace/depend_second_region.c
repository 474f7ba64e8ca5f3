// Tasks that wait for their dependences immediately, by workers that were in a region before: what the
// runtime remembers of the first region it must not use for the waiting task. Nested teams too, and in the
// region's last barrier.
#include <omp.h>
#include <stdio.h>

static int add(int number) {
  int x = 0;
#pragma omp task depend(out : x) shared(x)
  x = number;
#pragma omp task depend(inout : x) if (0) shared(x)
  x++;
#pragma omp task depend(out : x) shared(x)
  x++;
#pragma omp taskwait depend(in : x)
#pragma omp taskwait
  return x;
}

int main(void) {
  int sums[4] = {0};
  omp_set_max_active_levels(2);
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
      sums[0] += add(i);
#pragma omp parallel num_threads(2)
    {
      int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1)
        sums[1 + outer] += add(i);
    }
#pragma omp parallel num_threads(2)
#pragma omp master
    for (int j = 0; j < 20; j++) {
#pragma omp task shared(sums)
      {
        int sum = add(j);
#pragma omp atomic
        sums[3] += sum;
      }
    }
  }
  printf("%d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);
  return 0;
}
