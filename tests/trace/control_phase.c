// One of three phases is left out by a pause around it: loops, tasks, locks and a critical section.
#include <omp.h>
#include <stdio.h>

#include "stave/stave.h"

static int sum;

static void phase(int number) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 4; i++) {
#pragma omp critical
      sum += number;
    }
#pragma omp single
    for (int i = 0; i < 6; i++) {
#pragma omp task
      {
#pragma omp critical
        sum += number;
      }
    }
  }
}

int main(void) {
  phase(1);
  int paused = stave_pause();
  phase(100);
  int again = stave_pause();
  phase(100);
  int started = stave_start();
  phase(10);
  int twice = stave_start();
  int flushed = stave_flush();
  int unknown = stave_control(5, 0, NULL), foreign = stave_control(4711, 12, NULL);
  printf("%d\n", sum);
  // Without a tool these differ: the exit status must not.
  fprintf(stderr, "answers %d %d %d %d %d %d %d\n", paused, again, started, twice, flushed, unknown, foreign);
  return 0;
}
