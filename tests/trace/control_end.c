// The trace ends in the middle of the program, in a parallel region with an open lock; what is recorded then
// is ignored.
#include <omp.h>
#include <stdio.h>

#include "stave/stave.h"

int main(void) {
  int count = 0, answers[4] = {0};
#pragma omp parallel reduction(+ : count)
  count++;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    {
      count++;
      if (omp_get_thread_num() == 1) {
        answers[0] = stave_end();
        answers[1] = stave_start();
        answers[2] = stave_end();
        answers[3] = stave_flush();
      }
    }
  }
  for (int i = 0; i < 100000; i++) {
#pragma omp parallel if (i % 1000 == 0)
    {
#pragma omp critical
      count++;
    }
  }
  printf("%d\n", count);
  fprintf(stderr, "answers %d %d %d %d\n", answers[0], answers[1], answers[2], answers[3]);
  return 0;
}
