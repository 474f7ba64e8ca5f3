/* The counts of the program `witness` of itself, which `check_recovered` holds a recovered archive against.
 */
#ifndef STAVE_TESTS_WITNESS_H
#define STAVE_TESTS_WITNESS_H

#include <stdint.h>

enum { WITNESS_THREADS = 2, WITNESS_MOMENTS = 1 << 17 };

/* Constructs of one thread, each counted after its last event. */
struct witness_counts {
  uint64_t locks, tasks;
};

/* What a thread had completed at a time, on both clocks that a trace may have. */
struct witness_moment {
  uint64_t counter, monotonic_ns;
  struct witness_counts counts;
};

struct witness_thread {
  _Atomic uint64_t moments_used;
  struct witness_counts counts;
  struct witness_moment moments[WITNESS_MOMENTS];
};

#endif
