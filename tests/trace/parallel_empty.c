// One parallel region with nothing in it: the smallest complete team.
#include <stdio.h>

int main(void) {
#pragma omp parallel
  {}
  puts("done");
  return 0;
}
