// Chains of tasks, each suspended in taskwait while its child runs: regions belong to the task,
// and those of a suspended one stay open.
#include <stdio.h>

static int done;

static void nest(int depth) {
  if (depth > 0) {
#pragma omp task
    nest(depth - 1);
#pragma omp taskwait
  }
#pragma omp atomic
  done++;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    nest(8);
  }
  printf("done %d\n", done);
  return 0;
}
