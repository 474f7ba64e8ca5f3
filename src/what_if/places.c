/* The places that paths lead through: a region of a process, and of MPI's functions where they are called. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "what_if/clocks.h"

/* Of a chunk it is the loop's, of all else the innermost region's. */
static uint32_t region_of(const struct clocks *clocks, const struct replay_frame *frames, size_t count) {
  for (size_t i = 0; i < count; i++) {
    enum construct construct = replay_construct(clocks->replay, frames[i].region);
    if (construct_class(construct) != CONSTRUCT_CLASS_dispatch)
      return construct == CONSTRUCT_program ? REPLAY_NONE : frames[i].region;
  }
  return REPLAY_NONE;
}

static uint32_t number_of(struct clocks *clocks, struct clock_place place) {
  uint64_t high = (uint64_t)place.process << 32 | place.region;
  uintptr_t found = (uintptr_t)pair_map_get(&clocks->place_numbers, high, place.site);
  if (found)
    return (uint32_t)(found - 1);
  size_t number = clocks->place_count;
  array_reserve(&clocks->places, &clocks->place_capacity, number + 1, sizeof *clocks->places);
  pair_map_put(&clocks->place_numbers, high, place.site, (void *)(uintptr_t)(number + 1));
  clocks->places[clocks->place_count++] = place;
  return (uint32_t)number;
}

uint32_t clock_place(struct clocks *clocks, const struct clock_row *row, const struct replay_frame *frames,
                     size_t count, uint64_t site) {
  if (!clocks->has_paths)
    return 0;
  return number_of(clocks, (struct clock_place){region_of(clocks, frames, count), row->process, site});
}

/* -- the longest -- */

struct sums {
  double *ticks; /* by place */
};

static void add(void *data, uint32_t place, uint64_t ticks) {
  struct sums *sums = data;
  sums->ticks[place] += (double)ticks;
}

static void keep_longest(struct what_if *ret, struct what_if_step step) {
  size_t at = ret->path_count;
  while (at > 0 && ret->path[at - 1].ticks < step.ticks)
    at--;
  if (at == WHAT_IF_PATH_MAX)
    return;
  ret->path_count += ret->path_count < WHAT_IF_PATH_MAX;
  memmove(&ret->path[at + 1], &ret->path[at], (ret->path_count - at - 1) * sizeof step);
  ret->path[at] = step;
}

void clock_path_of(struct clocks *clocks, const struct path *path, struct what_if *ret) {
  struct sums sums = {memory_get(clocks->place_count, sizeof *sums.ticks)};
  ret->path_count = 0;
  ret->path_ticks = 0;
  path_each(path, add, &sums);
  for (size_t i = 0; i < clocks->place_count; i++) {
    const struct clock_place *place = &clocks->places[i];
    ret->path_ticks += sums.ticks[i];
    if (sums.ticks[i] > 0)
      keep_longest(ret, (struct what_if_step){place->region, place->process, place->site, sums.ticks[i]});
  }
  free(sums.ticks);
}
