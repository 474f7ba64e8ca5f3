/* The form of the file that detail.h describes. */
#ifndef STAVE_TIMELINE_CONTENT_DETAIL_FORM_H
#define STAVE_TIMELINE_CONTENT_DETAIL_FORM_H

#include "timeline/content/detail.h"

#define DETAIL_MAGIC UINT64_C(0x3230644576617473) /* "stavEd02" */

/* The tracks of the row after the last are those of detail_items.h, by kind in place of a depth, by class of
 * length in place of a level.
 *
 * In place of a depth: the activities, which come before all depths. */
#define DETAIL_ACTIVITIES UINT32_MAX

/* Items from begin to end (ns). */
struct detail_block {
  uint64_t begin, end, offset;
  uint32_t bytes, count;
};

/* Row by row; firsts: positions of their first blocks in the index, level by level, of the first track and so
 * on. */
struct detail_track_entry {
  uint32_t row, depth;
};

/* At the end of the file. Offsets are from its beginning. */
struct detail_foot {
  uint64_t page, page_bytes;
  uint64_t blocks, block_count; /* struct detail_block */
  uint64_t tracks, track_count; /* struct detail_track_entry */
  uint64_t firsts;              /* uint64_t, DETAIL_LEVELS for each track, and one more */
  uint64_t row_count;
  uint64_t resolutions_ns[DETAIL_LEVELS];
  char identity[DETAIL_IDENTITY_BYTES];
  uint64_t magic;
};

#endif
