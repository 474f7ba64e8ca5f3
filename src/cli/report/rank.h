/* Whether two sets of measurements differ by more than chance. */
#ifndef STAVE_CLI_REPORT_RANK_H
#define STAVE_CLI_REPORT_RANK_H

#include <stddef.h>

enum { RANK_VALUES_MAX = 40 };

/* The median of count > 0 values. */
double rank_median(const double *values, size_t count);

/* The two-sided p of the test of Mann and Whitney (Wilcoxon's rank sum): how likely ranks that differ at
 * least this much are if all runs are alike. Exact, ties by mean ranks; the first `old_count` of `count`
 * values (RANK_VALUES_MAX at most) are the old ones. Without memory the command ends (memory.h). */
double rank_test(const double *values, size_t old_count, size_t count);

#endif
