/* One location's activities over time, in as few mixes as its resolution needs: an activity that lasts at
 * least the resolution stays as it was, shorter neighbours become one mix with the duration of each activity.
 * Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_ACTIVITY_TRACK_H
#define STAVE_TIMELINE_CONTENT_ACTIVITY_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/activity.h"

struct mix {
  uint64_t begin, end;
  float ticks[ACTIVITY_COUNT]; /* of each activity; their sum is end - begin but for gaps */
};

struct activity_track {
  struct mix *mixes;
  size_t count, capacity;
};

/* Adds an interval after the last one; what overlaps that is cut off. */
void activity_track_add(struct activity_track *track, uint64_t begin, uint64_t end, enum activity activity,
                        uint64_t resolution);

/* Merges what a larger resolution allows. */
void activity_track_coarsen(struct activity_track *track, uint64_t resolution);

/* Frees what it owns. */
void activity_track_free(struct activity_track *track);

#endif
