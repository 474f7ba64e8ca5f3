/* Loops with ordered(n): what findings on loops have to know. */
#ifndef STAVE_REPORT_SUBJECTS_DOACROSS_H
#define STAVE_REPORT_SUBJECTS_DOACROSS_H

#include "report/collect/collect.h"

/* Subtracts from the gain of a loop's imbalance what is waiting for other iterations, which the trace shows
 * as work. True: that is all of it. */
bool doacross_explains(struct collector *collector, uint32_t region, double *gain);

#endif
