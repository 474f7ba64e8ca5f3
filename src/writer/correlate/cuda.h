/* What CUPTI tells of NVIDIA's devices. */
#ifndef STAVE_WRITER_CORRELATE_CUDA_H
#define STAVE_WRITER_CORRELATE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct correlator;

/* One instant on the session's clock and on CLOCK_MONOTONIC. */
struct cuda_clock {
  uint64_t ticks, ns;
};

struct cuda_state {
  bool has_begun;
  uint32_t version;
  struct cuda_clock first, last;
  struct map calls;        /* by correlation: who has started what, until the device's record has come */
  struct cuda_work *works; /* what devices did, and is on no stream yet */
  size_t work_count, work_capacity;
  uint64_t oldest_ns, newest_ns; /* begin of the first of these; end of the last that ever came */
};

/* The begin of the first one that is on no stream yet; UINT64_MAX if there is none. */
uint64_t cuda_held_since(const struct correlator *c);

/* No record follows: what is left goes to the streams. Before correlate_end. */
void cuda_end(struct correlator *c);

void cuda_free(struct correlator *c);

#endif
