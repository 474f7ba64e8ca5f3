#include <stdlib.h>

#include "base/memory.h"
#include "timeline/page/page_data.h"

enum { MAX_REGIONS = 1 << 16 };

static int by_ticks(const void *one, const void *other, void *data) {
  const struct timeline_region *regions = data;
  uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;
  if (regions[first].ticks != regions[second].ticks)
    return regions[first].ticks > regions[second].ticks ? -1 : 1;
  return first < second ? -1 : first > second;
}

static uint32_t list_used(const struct timeline *timeline, uint32_t *used) {
  uint32_t count = 0;
  for (uint32_t i = 0; i <= timeline->trace->region_count; i++)
    if (timeline->regions[i].count || timeline->regions[i].ticks)
      used[count++] = i;
  return count;
}

void page_choose_regions(struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  size_t all = timeline->trace->region_count + 1;
  data->regions = memory_get(all, sizeof *data->regions);
  data->region_positions = memory_get(all, sizeof *data->region_positions);
  uint32_t used = list_used(timeline, data->regions);
  qsort_r(data->regions, used, sizeof *data->regions, by_ticks, timeline->regions);
  data->region_count = used < MAX_REGIONS ? used : MAX_REGIONS;
  data->regions_left_out = used - data->region_count;
  for (size_t i = 0; i < all; i++)
    data->region_positions[i] = data->region_count;
  for (uint32_t i = 0; i < data->region_count; i++)
    data->region_positions[data->regions[i]] = i;
}
