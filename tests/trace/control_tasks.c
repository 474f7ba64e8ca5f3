// Tasks created before a pause run in it and after it, those created in it run after it; some pause
// themselves, are suspended in a pause, and go on after it.
#include <omp.h>
#include <stdio.h>

#include "stave/stave.h"

static int count;

static void leaf(void) {
#pragma omp atomic
  count++;
}

static void node(int depth) {
#pragma omp task
  {
    if (depth == 3)
      stave_pause();
    if (depth > 0) {
      node(depth - 1);
      node(depth - 1);
    }
    if (depth == 1)
      stave_start();
#pragma omp critical
    leaf();
#pragma omp taskwait
    leaf();
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp taskgroup
    node(4);
    stave_pause();
    for (int k = 0; k < 4; k++) {
#pragma omp task
      {
#pragma omp critical
        leaf();
      }
    }
    stave_start();
    for (int k = 0; k < 4; k++) {
#pragma omp task
      leaf();
    }
    stave_pause();
#pragma omp taskwait
    stave_start();
  }
  printf("%d\n", count);
  return 0;
}
