/* What the parts of a page share. */
#ifndef STAVE_TIMELINE_PAGE_PAGE_DATA_H
#define STAVE_TIMELINE_PAGE_PAGE_DATA_H

#include "timeline/content/page_form.h"
#include "timeline/page/page.h"

/* Part of the bytes. */
struct page_section {
  size_t offset, count; /* bytes before it; items in it */
};

struct page_row {
  struct page_section activity;
  struct page_section depths[TIMELINE_MAX_DEPTH];
  struct page_section running, gaps; /* condition_table.h */
  struct page_section samples;
};

struct page_data {
  const struct timeline *timeline;
  const struct page_request *request;
  struct bytes bytes;
  struct page_row *rows; /* as the timeline's */
  struct page_section tasks, messages, operations, locks, contexts, dependences, transfers, launches;
  struct page_section paths[SIDES_MAX];
  struct page_section *counters; /* as the timeline's series */
  uint32_t *region_positions;    /* in the page, of the timeline's regions */
  uint32_t *regions;             /* the reverse */
  uint32_t region_count;         /* in the page, without the last, which represents all that are left out */
  uint32_t regions_left_out;
  uint32_t *context_positions;  /* in the page from 1, of the trace's calling contexts; 0: not there */
  uint32_t *function_positions; /* the same of its regions that contexts have, the last one undefined */
  uint32_t *functions;          /* the reverse, from 0 */
  uint32_t function_count;
};

/* Chooses the regions that the page knows: those open in the window, the longest first if there are too many.
 */
void page_choose_regions(struct page_data *data);

/* Fills in bytes and sections. */
void page_encode_events(struct page_data *data);

/* The same for messages and collective operations. */
void page_encode_messages(struct page_data *data);

/* The same for counters, conditions and locks. */
void page_encode_values(struct page_data *data);

/* The same for samples and their calling contexts. */
void page_encode_samples(struct page_data *data);

/* Writes the JSON so that no text in it can end the script element. */
void page_write_about(FILE *file, const struct page_data *data);

/* ns since the beginning of the trace. */
static inline uint64_t page_ns(const struct page_data *data, uint64_t ticks) {
  return trace_ns(data->timeline->trace, ticks);
}

#endif
