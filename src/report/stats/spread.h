/* Length of time of something that happened several times. */
#ifndef STAVE_REPORT_STATS_SPREAD_H
#define STAVE_REPORT_STATS_SPREAD_H

#include <stdint.h>

/* All zero: nothing added. */
struct spread {
  uint64_t count, sum, min, max;
};

/* Adds one more of `ticks`. */
void spread_add(struct spread *spread, uint64_t ticks);

/* Adds all of the other's. */
void spread_merge(struct spread *spread, const struct spread *other);

/* Mean; 0 of nothing. */
double spread_mean(const struct spread *spread);

#endif
