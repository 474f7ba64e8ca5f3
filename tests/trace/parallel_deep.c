// Five levels of nesting: two threads at the first three, one below each at the last two.
#include <omp.h>
#include <stdio.h>

static int calls;

static void descend(int level) {
#pragma omp parallel num_threads(level < 3 ? 2 : 1)
  {
#pragma omp atomic
    calls++;
    if (level < 4)
      descend(level + 1);
  }
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(5);
  descend(0);
  printf("calls %d\n", calls);
  return 0;
}
