// A program that starts the runtime and never goes parallel.
#include <omp.h>
#include <stdio.h>

int main(void) {
  printf("threads %s\n", omp_get_max_threads() > 0 ? "some" : "none");
  return 0;
}
