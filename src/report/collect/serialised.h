/* Parallel regions with a team of one thread: their cost in the runtime. */
#ifndef STAVE_REPORT_COLLECT_SERIALISED_H
#define STAVE_REPORT_COLLECT_SERIALISED_H

#include "report/collect/collect.h"

/* Instances of a parallel construct with a team of one thread; sums of ticks. */
struct report_serialised {
  uint64_t instances, nested; /* nested: inside of another team */
  uint64_t begins;            /* from the fork to the begin */
  uint64_t waited;            /* in the barrier that ends it, for nobody */
  uint64_t divided, pieces;   /* divided: with constructs inside; pieces of work around these */
  uint64_t followed;          /* forked directly after the end of another one */
  uint64_t own_sum, between_sum;
  uint32_t *own, *between; /* histograms: of that work; of the time from that end to the fork */
};

/* Adds an instance with one thread, which began so long after the fork. */
void serialised_add(struct report_parallel *parallel, const struct live_team *live_team,
                    uint64_t begin_ticks);

/* Those of a region; NULL: they are few, or so long that it is not the runtime's. */
const struct report_serialised *serialised_often(const struct report *report, uint32_t region);

/* What one instance costs, ticks of its thread without Stave's callbacks. */
double serialised_cost(const struct report *report, uint32_t region);

/* The finding on those of a region. */
void serialised_find(struct report *report, uint32_t region);

/* Accepts NULL. */
void serialised_free(struct report_serialised *serialised);

#endif
