// Begins paused, records one region, and is paused at the end of the program.
#include <stdio.h>

#include "stave/stave.h"

static int count;

static void region(void) {
#pragma omp parallel reduction(+ : count)
  count++;
}

int main(void) {
  region();
  stave_start();
  region();
  stave_pause();
  region();
  printf("%d\n", count);
  return 0;
}
