/* Samples are counted by place and calling context while events go by. */
#include "report/collect/samples.h"

#include "report/collect/analyser.h"

/* Numbers are kept in the map as pointers. */
void samples_add(struct collector *collector, enum report_doing doing, uint32_t region, uint32_t context,
                 uint64_t count) {
  uint64_t place = (uint64_t)doing << 32 | region;
  struct samples *samples = ANALYSER_STATE(collector, samples);
  struct pair_map *counts = &samples->counts;
  count += (uintptr_t)pair_map_get(counts, place, context);
  pair_map_put(counts, place, context, (void *)(uintptr_t)count);
}
