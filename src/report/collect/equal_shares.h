/* Loops whose schedule gives all threads as many iterations. */
#ifndef STAVE_REPORT_COLLECT_EQUAL_SHARES_H
#define STAVE_REPORT_COLLECT_EQUAL_SHARES_H

#include <stdbool.h>
#include <stdint.h>

struct report;

/* A static schedule without a chunk size. */
bool has_equal_shares(const struct report *report, uint32_t region);

/* Useful time that is no work: what threads needed for such loops beyond the fastest in each instance, where
 * they mostly need as long. Those that were slower then had no processor, or none of their own. */
double ticks_beyond_equal_shares(const struct report *report);

#endif
