/* What devices did over time, where their own times are known. Ticks. */
#ifndef STAVE_REPORT_REPORT_DEVICES_H
#define STAVE_REPORT_REPORT_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/stats/spread.h"

/* Time in which nothing was submitted to a device, by where the thread was that submitted last. */
struct report_device_gap {
  uint32_t region; /* the construct or call that it was in; REPLAY_NONE: the program's own code outside */
  uint32_t last;   /* of that: the last target construct or call before; REPLAY_NONE: none */
  uint64_t ticks;
};

/* Copies of one direction. */
struct report_copies {
  struct spread time;
  uint64_t bytes, pageable_bytes; /* pageable: of or to memory of the host that is not pinned */
};

enum { COPIES_TO, COPIES_FROM, COPIES_DIRECTIONS };

/* One device: a location group. From its first operation to its last it computed alone, copied alone, did
 * both at the same time, had work that had not started, or none. */
struct report_accelerator {
  bool is_used;
  uint64_t first_ticks, last_ticks;
  uint64_t computing, copying, both, late, idle;
  uint64_t kernels_wait;          /* of copying: a kernel was submitted that had not started */
  struct report_device_gap *gaps; /* the parts of idle, the longest first */
  size_t gap_count;
};

/* All of them. */
struct report_device_use {
  struct report_accelerator *accelerators; /* by location group */
  uint64_t waited;                 /* of threads: in target constructs and calls while a device was busy */
  uint64_t start_begin, start_end; /* from the first such construct or call to the first operation; 0: none */
};

#endif
