/* What `kept` counts in a file: of each thread the last step that it has completed. */
#ifndef STAVE_TESTS_FAULT_KEPT_H
#define STAVE_TESTS_FAULT_KEPT_H

#include <stdint.h>

enum { KEPT_THREADS = 2, KEPT_STEPS_A_REGION = 64, KEPT_LOCKS = 4 /* locks in each step, and one task */ };

struct flight_buffer_count {
  volatile uint64_t steps;
  uint64_t unused[7]; /* a cache line of its own */
};

#endif
