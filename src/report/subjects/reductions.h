/* Findings on reductions. */
#ifndef STAVE_REPORT_SUBJECTS_REDUCTIONS_H
#define STAVE_REPORT_SUBJECTS_REDUCTIONS_H

#include "report/report.h"

/* The worksharing or parallel construct in the line of a part of it that the runtime has made for a
 * reduction; REPLAY_NONE: there is none. */
uint32_t reductions_construct(const struct report *report, uint32_t region);

/* Adds the finding on reductions in a parallel region outside of barriers, `scale`: of ticks of its threads
 * to wall time. */
void reductions_find(struct report *report, uint32_t region, double scale);

#endif
