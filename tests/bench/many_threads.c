/* many_threads [MS]: two trivial regions of as many threads as there are by OMP_NUM_THREADS, which sleep for
 * so long in each: what a program costs whose threads do next to nothing. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  unsigned sleep_us = argc > 1 ? 1000 * (unsigned)atoi(argv[1]) : 0;
  int sum = 0;
  for (int i = 0; i < 2; i++) {
#pragma omp parallel reduction(+ : sum)
    {
      sum++;
      if (sleep_us)
        usleep(sleep_us);
    }
  }
  return sum > 0 ? 0 : 1;
}
