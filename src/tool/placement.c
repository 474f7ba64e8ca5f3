#include "tool/placement.h"

enum { PLACES_MAX = 2 * 4 * (RECORD_SLOTS_MAX - 1) };

struct placement {
  struct record_placement record;
  union {
    int32_t places[PLACES_MAX];
    uint64_t words[PLACES_MAX / 2];
  };
};

static int query_runtime(int (*question)(void)) {
  return question ? question() : -1;
}

/* How many places there are in the partition; their numbers only if there is room for all. */
static uint32_t query_partition(int32_t *places, int room) {
  int count = tool.get_partition_place_nums ? tool.get_partition_place_nums(room, places) : 0;
  return count > 0 ? (uint32_t)count : 0;
}

static uint64_t add_to(uint64_t sum, uint32_t word) {
  return (sum ^ word) * UINT64_C(0x100000001b3); /* FNV-1a by words */
}

static void record(int place, uint64_t ticks) {
  struct placement placement;
  uint32_t count = query_partition(placement.places, PLACES_MAX), known = count <= PLACES_MAX ? count : 0;
  for (uint32_t i = known; i % 8; i++)
    placement.places[i] = 0;
  placement.record =
      (struct record_placement){.ticks = ticks,
                                .place = (uint64_t)(int64_t)place,
                                .processor = (uint64_t)(int64_t)query_runtime(tool.get_proc_id),
                                .partition_places = count,
                                .tail = RECORD_TAIL(RECORD_placement, (known + 7) / 8, 0, 0)};
  thread_put((const struct record *)&placement.record, placement.words);
}

/* The list of places is slow to get where there are many: it is requested when the place, their number or the
 * processor has changed. */
void placement_record(void) {
  int32_t nothing, processor = processor_now();
  if (!tool.get_place_num && !tool.get_proc_id)
    return;
  uint64_t ticks = clock_ticks(tool.clock);
  if (!thread_has_ring(ticks))
    return;
  int place = query_runtime(tool.get_place_num);
  uint64_t sum =
      add_to(add_to(add_to(UINT64_C(0xcbf29ce484222325), (uint32_t)place), query_partition(&nothing, 0)),
             (uint32_t)processor);
  if (thread_self->placement != sum)
    record(place, ticks);
  bool has_places = tool.get_num_places && tool.get_num_places() > 1;
  thread_self->placement = sum;
  thread_self->processor = has_places ? PROCESSOR_NONE : processor;
}
