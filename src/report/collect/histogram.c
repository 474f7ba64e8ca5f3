/* Times by their logarithm. */
#include "base/memory.h"
#include "report/collect/collect.h"

enum { STEPS = 8, BUCKETS = HISTOGRAM_BUCKETS };

_Static_assert(HISTOGRAM_BUCKETS == 64 * STEPS, "all octaves have buckets");

uint32_t *histogram_new(void) {
  return memory_get(BUCKETS, sizeof(uint32_t));
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

void histogram_merge(uint32_t *histogram, const uint32_t *other) {
  for (int i = 0; i < BUCKETS; i++)
    histogram[i] += other[i] < UINT32_MAX - histogram[i] ? other[i] : UINT32_MAX - histogram[i];
}

/* Of those that are in the buckets from `first` on. */
static uint64_t quantile_from(const uint32_t *histogram, int first, double share) {
  uint64_t count = 0, below = 0;
  for (int i = first; i < BUCKETS; i++)
    count += histogram[i];
  for (int i = first; count > 0 && i < BUCKETS; i++) {
    below += histogram[i];
    if ((double)below >= share * (double)count)
      return bucket_middle((unsigned)i);
  }
  return 0;
}

uint64_t histogram_quantile(const uint32_t *histogram, double share) {
  return quantile_from(histogram, 0, share);
}

/* Of two times in one step, the next one has a tick less to go. */
static uint64_t mean_up_to_step(const uint32_t *histogram, uint64_t step) {
  uint64_t count = 0, sum = 0;
  for (unsigned i = 0; i < BUCKETS && bucket_middle(i) <= step + step / 8; i++) {
    count += histogram[i];
    sum += histogram[i] * bucket_middle(i);
  }
  return count ? (sum + count / 2) / count : 0;
}

uint64_t histogram_shortest(const uint32_t *histogram, double share) {
  uint64_t ticks = histogram_quantile(histogram, share);
  return ticks > 1 ? ticks : mean_up_to_step(histogram, quantile_from(histogram, 2, share));
}
