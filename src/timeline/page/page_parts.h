/* The page without its data, in three parts. Made from page/ by page/assemble when Stave is built. */
#ifndef STAVE_TIMELINE_PAGE_PAGE_PARTS_H
#define STAVE_TIMELINE_PAGE_PAGE_PARTS_H

#include <stddef.h>

extern const unsigned char page_before_about[], page_before_events[], page_after_events[];
extern const size_t page_before_about_bytes, page_before_events_bytes, page_after_events_bytes;

#endif
