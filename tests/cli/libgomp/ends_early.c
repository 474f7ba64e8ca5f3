/* Regions and tasks within one another, in the middle of which a tool may finalize itself. */
#include <stdio.h>

static int count;

static void descend(int depth) {
  if (!depth)
    return;
#pragma omp task if (0)
  {
    count++;
    descend(depth - 1);
  }
#pragma omp task
  count++;
#pragma omp taskwait
#pragma omp parallel num_threads(1)
  {
#pragma omp barrier
    count++;
  }
#pragma omp taskloop num_tasks(2)
  for (int i = 0; i < 2; i++)
    count++;
}

int main(void) {
#pragma omp parallel num_threads(1)
  descend(3);
  descend(2);
#pragma omp parallel for schedule(dynamic) num_threads(1)
  for (int i = 0; i < 3; i++)
    count++;
  printf("%d\n", count);
  return 3;
}
