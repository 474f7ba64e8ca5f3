#ifndef STAVE_TIMELINE_PAGE_TRAFFIC_H
#define STAVE_TIMELINE_PAGE_TRAFFIC_H

#include "timeline/page_data.h"
#include "timeline/page_facts.h"

/* The sums of analysis/traffic.h; null: there are too many. */
json_t *page_traffic(const struct page_data *data);

#endif
