/* Calling contexts of parallel regions, for those who keep teams. */
#ifndef STAVE_REPORT_COLLECT_CALLERS_H
#define STAVE_REPORT_COLLECT_CALLERS_H

#include "report/collect/collect.h"

/* The context in which the thread has forked last; TRACE_NO_REF: not known. */
uint64_t callers_of_fork(const struct collector *collector, size_t location);

/* An instance of a region that was forked in this context lasted `ticks`, of which it could save `gain`. */
void callers_add(struct collector *collector, uint32_t region, uint64_t context, uint64_t ticks, double gain);

#endif
