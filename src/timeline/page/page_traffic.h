#ifndef STAVE_TIMELINE_PAGE_PAGE_TRAFFIC_H
#define STAVE_TIMELINE_PAGE_PAGE_TRAFFIC_H

#include "timeline/page/page_data.h"
#include "timeline/page/page_facts.h"

/* The sums of replay/traffic.h; null: there are too many. */
json_t *page_traffic(const struct page_data *data);

#endif
