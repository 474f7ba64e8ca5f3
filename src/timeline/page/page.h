/* A timeline as one HTML page that needs nothing else: page/ has its sources, page/assemble puts them into
 * the program.
 *
 * In the page are two blocks of data. One is JSON (page_about.c). The other is base64 of unsigned LEB128
 * numbers (page_events.c), in sections of which the JSON shows place and number of items. Times are in ns
 * since the beginning of the trace. page.def describes the sections. */
#ifndef STAVE_TIMELINE_PAGE_PAGE_H
#define STAVE_TIMELINE_PAGE_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "timeline/timeline.h"

struct page_request {
  const char *title;
  const char *archive; /* as a word of a shell command */
  /* what is beside the picture (panel.h): each `place` a region's number in the trace, `rows` locations'; the
   * page replaces them by its own. NULL: nothing */
  json_t *report;
  /* has the details of what the page merges, which it requests from the server that it comes from; NULL: it
   * is alone */
  const struct detail_writer *served;
  bool has_sources; /* lines of the source, as far as the files that the trace names can be read */
};

/* Writes the page. Errors of the file are left to ferror. */
void page_write(FILE *file, const struct timeline *timeline, const struct page_request *request);

#endif
