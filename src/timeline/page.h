/* A timeline as one HTML page that needs nothing else: page/ has its sources, page/assemble puts them into
 * the program.
 *
 * In the page are two blocks of data. One is JSON (page_about.c). The other is base64 of unsigned LEB128
 * numbers (page_events.c), in sections of which the JSON tells place and number of items. Times are in ns
 * since the beginning of the trace.
 *
 *   activities of a row, in the order of time: ns since the end of the one before; activity << 1 and ns; or
 *     mask of activities << 1 | 1, ns, and the ns of each activity in the mask, the lowest first
 *   regions of a row at a depth: ns since the end of the one before, ns, head; if head & 1, for several that
 * were merged, their number, the ns in which one of them was open, the longest's ns; if head & 2, the number
 * of attributes, and for each its position and its value; head >> 2 & 15 is the activity, head >> 6 the
 * region's position in the JSON tasks, in the order of creation: ns since the creation of the one before,
 * row, region, creating thread, generation, 1 if it was completed, number of pieces; for each ns since the
 * end of the one before (the first: since creation), ns, row */
#ifndef STAVE_TIMELINE_PAGE_H
#define STAVE_TIMELINE_PAGE_H

#include <stdio.h>

#include "timeline/timeline.h"

struct page_request {
  const char *title;
  const char *archive; /* as a word of a shell command */
};

/* Writes the page. Returns 0, or -ENOMEM; errors of the file are left to ferror. */
int page_write(FILE *file, const struct timeline *timeline, const struct page_request *request);

#endif
