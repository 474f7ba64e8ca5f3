/* How much a sum of costs would be another one in a run like this, from how much neighbours differ.
 * Neighbours and not all: a slow phase of a run is no chance. */
#ifndef STAVE_REPORT_STATS_SCATTER_H
#define STAVE_REPORT_STATS_SCATTER_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing added. */
struct scatter {
  uint64_t count, pairs; /* pairs: of neighbours */
  double sum, last;
  double squares; /* of the differences of neighbours */
};

/* The next one has cost this. */
void scatter_add(struct scatter *scatter, double ticks);

/* The same, which is to be compared with another one than the last; NULL: with none. */
void scatter_add_beside(struct scatter *scatter, double ticks, const double *neighbour);

/* The standard deviation of the sum, as a share of it. False if there are not two, or the sum is 0. Source:
 * mean square successive difference (von Neumann and others, 1941). */
bool scatter_share(const struct scatter *scatter, double *ret);

#endif
