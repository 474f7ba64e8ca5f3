/* How a cost is spread over the instances of what causes it: a slow phase of a run shows in few of them.
 * Memory is bounded: instances share buckets, the more there are the more of them. */
#ifndef STAVE_REPORT_STATS_VARIATION_H
#define STAVE_REPORT_STATS_VARIATION_H

#include <stdbool.h>
#include <stdint.h>

enum { VARIATION_BUCKETS = 64 };

struct variation_bucket {
  double ticks;
  uint64_t begin_ticks, end_ticks;
};

/* All zero: no instances. */
struct variation {
  uint64_t count; /* instances */
  uint64_t width; /* instances in a bucket, a power of two; 0: no instances */
  struct variation_bucket buckets[VARIATION_BUCKETS];
};

/* Instances in a row that make up most of a cost. */
struct variation_peak {
  uint64_t first, last, count; /* instances, from 1; count: of all */
  uint64_t begin_ticks, end_ticks;
  double share;
};

/* The next instance, from begin to end, costs this. */
void variation_add(struct variation *variation, double ticks, uint64_t begin_ticks, uint64_t end_ticks);

/* The shortest row of instances that makes up nine tenths of the cost. False if that is more than half of
 * them, or there are fewer than eight. */
bool variation_peak(const struct variation *variation, struct variation_peak *ret);

#endif
