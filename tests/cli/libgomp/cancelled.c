/* Tasks that are discarded as their taskgroup, or the region, is cancelled before they begin: one runs. */
#include <stdio.h>

int main(void) {
  int in_group = 0, in_region = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp taskgroup
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(in_group)
      {
        in_group++;
#pragma omp cancel taskgroup
      }
    }
  }
#pragma omp parallel num_threads(1)
  {
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(in_region)
      in_region++;
    }
#pragma omp cancel parallel
  }
  printf("group %d region %d\n", in_group, in_region);
  fprintf(stderr, "truth: created 100 complete 100 cancel 101\n");
  return 3;
}
