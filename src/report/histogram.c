/* Times by their logarithm. */
#include <stdlib.h>

#include "report/collect.h"

enum { STEPS = 8, BUCKETS = 64 * STEPS };

uint32_t *histogram_new(void) {
  return calloc(BUCKETS, sizeof(uint32_t));
}

static unsigned bucket_of(uint64_t ticks) {
  if (ticks < STEPS)
    return (unsigned)ticks;
  unsigned octave = 63 - (unsigned)__builtin_clzll(ticks);
  return octave * STEPS - 3 * STEPS + STEPS + (unsigned)(ticks >> (octave - 3) & (STEPS - 1));
}

static uint64_t bucket_middle(unsigned bucket) {
  if (bucket < STEPS)
    return bucket;
  unsigned octave = (bucket - STEPS) / STEPS + 3;
  uint64_t step = UINT64_C(1) << (octave - 3);
  return (UINT64_C(1) << octave) + (bucket % STEPS) * step + step / 2;
}

void histogram_add(uint32_t *histogram, uint64_t ticks) {
  unsigned bucket = bucket_of(ticks);
  histogram[bucket] += histogram[bucket] < UINT32_MAX;
}

uint64_t histogram_quantile(const uint32_t *histogram, double share) {
  uint64_t count = 0, below = 0;
  for (int i = 0; i < BUCKETS; i++)
    count += histogram[i];
  for (int i = 0; count > 0 && i < BUCKETS; i++) {
    below += histogram[i];
    if ((double)below >= share * (double)count)
      return bucket_middle((unsigned)i);
  }
  return 0;
}
