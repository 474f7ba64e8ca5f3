/* What a page states of its trace, besides what it shows. */
#ifndef STAVE_TIMELINE_PAGE_PAGE_FACTS_H
#define STAVE_TIMELINE_PAGE_PAGE_FACTS_H

#include <jansson.h>

#include "timeline/timeline.h"

/* A text with any bytes. */
json_t *page_text(const char *text);

/* [[name, text], ...]: how the trace was recorded. */
json_t *page_facts(const struct timeline *timeline);

/* What makes the picture incomplete or doubtful: sentences. */
json_t *page_warnings(const struct timeline *timeline);

#endif
