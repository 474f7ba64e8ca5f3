// Tasks in the serial part of the program, before and after a region.
#include <stdio.h>

static int done;

static void five_tasks(void) {
  for (int i = 0; i < 5; i++) {
#pragma omp task
#pragma omp atomic
    done++;
  }
#pragma omp taskwait
}

int main(void) {
  five_tasks();
#pragma omp parallel
#pragma omp single
  five_tasks();
  five_tasks();
  printf("done %d\n", done);
  return 0;
}
