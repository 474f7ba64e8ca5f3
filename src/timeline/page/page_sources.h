/* Lines of the source around the regions of a page. */
#ifndef STAVE_TIMELINE_PAGE_PAGE_SOURCES_H
#define STAVE_TIMELINE_PAGE_PAGE_SOURCES_H

#include "timeline/page/page_data.h"
#include "timeline/page/page_facts.h"

/* By file: {"changed": later than the trace's beginning, "first": the number of the first line, "lines":
 * [texts]}, of those files that are plain, can be read and are not too long, from some lines before the first
 * region to some after the last. */
json_t *page_sources(const struct page_data *data);

#endif
