/* What the program `busy` counts of itself and `check_busy` holds an archive against. */
#ifndef STAVE_TESTS_BUSY_H
#define STAVE_TESTS_BUSY_H

#include <stdint.h>

enum { BUSY_THREADS_MAX = 1024 };

/* Of one thread, each counted after the last event of what it counts. */
struct busy_counts {
  volatile uint64_t sets, unsets, tasks;
  uint64_t unused[5]; /* a cache line a thread */
};

#endif
