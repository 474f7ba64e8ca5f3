/* The order of a timeline's rows. */
#ifndef STAVE_TIMELINE_ROW_ORDER_H
#define STAVE_TIMELINE_ROW_ORDER_H

#include "trace/trace.h"

/* Fills in the positions of all locations from top to bottom, and how deeply each is nested: threads before
 * streams, process by process, OpenMP's threads by their numbers, others as in the archive. A worker without
 * a place of its own is below the thread that began the first nested team it serves. `order` and `levels`
 * have room for all locations; `levels` is by location. */
void row_order(const struct trace *trace, size_t *order, uint32_t *levels);

#endif
