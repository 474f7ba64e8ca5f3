/* Samples, for those who know of places. */
#ifndef STAVE_REPORT_COLLECT_SAMPLES_H
#define STAVE_REPORT_COLLECT_SAMPLES_H

#include "report/collect/collect.h"

/* The analyser's state. */
struct samples {
  struct pair_map counts; /* by place (what its thread did and the region) and calling context */
  uint64_t state_attribute;
};

/* There were so many more in the region; DOING_COUNT: in the gap of this number. Before the samples are
 * sorted. */
void samples_add(struct collector *collector, enum report_doing doing, uint32_t region, uint32_t context,
                 uint64_t count);

#endif
