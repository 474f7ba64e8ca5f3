/* deep_regions ROUNDS: empty parallel regions of one thread, below eight functions. */
#include <stdlib.h>

#define BELOW(name, next)                                                                                    \
  __attribute__((noinline)) static void name(void) {                                                         \
    next();                                                                                                  \
    __asm__ volatile(""); /* no tail call */                                                                 \
  }

__attribute__((noinline)) static void region(void) {
#pragma omp parallel num_threads(1)
  __asm__ volatile("");
}

BELOW(first, region)
BELOW(second, first)
BELOW(third, second)
BELOW(fourth, third)
BELOW(fifth, fourth)
BELOW(sixth, fifth)
BELOW(seventh, sixth)

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < rounds; i++)
    seventh();
  return 0;
}
