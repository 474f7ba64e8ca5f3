/* Activities and regions in the form that page.def describes, for the page and for the file of all details.
 */
#ifndef STAVE_TIMELINE_CONTENT_PAGE_ITEMS_H
#define STAVE_TIMELINE_CONTENT_PAGE_ITEMS_H

#include "timeline/content/activity_track.h"
#include "timeline/content/bytes.h"
#include "timeline/content/slice_track.h"
#include "trace/trace.h"

/* Adds one, `last` being the end of the one before (ns). `region`: the number that it gets there;
 * `attributes`: how many, then of each its number and value (attribute_lists.h), or NULL. Returns its own
 * end. */
uint64_t page_put_mix(struct bytes *bytes, const struct trace *trace, const struct mix *mix, uint64_t last);
uint64_t page_put_region(struct bytes *bytes, const struct trace *trace, const struct slice *slice,
                         uint32_t region, const uint64_t *attributes, uint64_t last);

#endif
