#include "timeline/content/slice_track.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t length_of(const struct slice *slice) {
  return slice->end - slice->begin;
}

static bool can_merge(const struct slice *last, const struct slice *next, uint64_t resolution) {
  return length_of(last) < resolution && length_of(next) < resolution && next->begin - last->end < resolution;
}

static void merge(struct slice *into, const struct slice *slice) {
  if (slice->longest > into->longest) {
    into->longest = slice->longest;
    into->region = slice->region;
    into->activity = slice->activity;
  }
  into->busy += slice->busy;
  into->count = slice->count < UINT32_MAX - into->count ? into->count + slice->count : UINT32_MAX;
  into->end = slice->end;
  into->attributes = 0;
}

void slice_track_add(struct slice_track *track, const struct slice *slice, uint64_t resolution) {
  struct slice *last = track->count ? &track->slices[track->count - 1] : NULL;
  struct slice next = *slice;
  if (last && next.begin < last->end)
    next.begin = last->end;
  if (next.end < next.begin)
    next.end = next.begin;
  next.busy = next.longest = (float)length_of(&next);
  if (last && can_merge(last, &next, resolution)) {
    merge(last, &next);
    return;
  }
  array_reserve(&track->slices, &track->capacity, track->count + 1, sizeof next);
  track->slices[track->count++] = next;
}

void slice_track_coarsen(struct slice_track *track, uint64_t resolution) {
  size_t kept = 0;
  for (size_t i = 0; i < track->count; i++) {
    if (kept && can_merge(&track->slices[kept - 1], &track->slices[i], resolution))
      merge(&track->slices[kept - 1], &track->slices[i]);
    else
      track->slices[kept++] = track->slices[i];
  }
  track->count = kept;
}

void slice_track_free(struct slice_track *track) {
  free(track->slices);
  *track = (struct slice_track){0};
}
