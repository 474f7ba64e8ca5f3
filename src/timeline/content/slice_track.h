/* What was open on one location at one depth of nesting: slices that do not overlap, in the order of time.
 * Slices that last at least the resolution stay as they were, shorter neighbours become one that knows how
 * many it represents. Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_SLICE_TRACK_H
#define STAVE_TIMELINE_CONTENT_SLICE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
  uint64_t begin, end;
  uint32_t region;     /* position in the trace's regions; of several, the longest's */
  uint32_t count;      /* how many it represents */
  float busy, longest; /* of several: the sum of their lengths, and the longest's */
  uint32_t attributes; /* of a single one: where its attributes are (attribute_lists.h); 0: it has none */
  uint8_t activity;    /* enum activity: what is done in it; of several, the longest's */
};

struct slice_track {
  struct slice *slices;
  size_t count, capacity;
};

/* Adds a slice after the last one; what overlaps that is cut off. */
void slice_track_add(struct slice_track *track, const struct slice *slice, uint64_t resolution);

/* Merges what a larger resolution allows. */
void slice_track_coarsen(struct slice_track *track, uint64_t resolution);

/* Frees what it owns. */
void slice_track_free(struct slice_track *track);

#endif
