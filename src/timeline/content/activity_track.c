#include "timeline/content/activity_track.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t length_of(const struct mix *mix) {
  return mix->end - mix->begin;
}

static bool is_pure(const struct mix *mix, enum activity activity) {
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    if (mix->ticks[i] > 0 && i != (int)activity)
      return false;
  return true;
}

static void merge(struct mix *into, const struct mix *mix) {
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    into->ticks[i] += mix->ticks[i];
  into->end = mix->end;
}

/* True if `next`, which follows, may be part of `last`: nothing that is long enough to be seen is ever
 * merged. */
static bool can_merge(const struct mix *last, const struct mix *next, uint64_t resolution) {
  return length_of(last) < resolution && length_of(next) < resolution && next->begin - last->end < resolution;
}

void activity_track_add(struct activity_track *track, uint64_t begin, uint64_t end, enum activity activity,
                        uint64_t resolution) {
  struct mix *last = track->count ? &track->mixes[track->count - 1] : NULL;
  if (last && begin < last->end)
    begin = last->end;
  if (end <= begin)
    return;
  struct mix next = {.begin = begin, .end = end};
  next.ticks[activity] = (float)(end - begin);
  if (last && (can_merge(last, &next, resolution) || (last->end == begin && is_pure(last, activity)))) {
    merge(last, &next);
    return;
  }
  array_reserve(&track->mixes, &track->capacity, track->count + 1, sizeof next);
  track->mixes[track->count++] = next;
}

void activity_track_coarsen(struct activity_track *track, uint64_t resolution) {
  size_t kept = 0;
  for (size_t i = 0; i < track->count; i++) {
    if (kept && can_merge(&track->mixes[kept - 1], &track->mixes[i], resolution))
      merge(&track->mixes[kept - 1], &track->mixes[i]);
    else
      track->mixes[kept++] = track->mixes[i];
  }
  track->count = kept;
}

void activity_track_free(struct activity_track *track) {
  free(track->mixes);
  *track = (struct activity_track){0};
}
