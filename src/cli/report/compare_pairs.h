/* Which constructs of different runs are the same one, though its line has changed. */
#ifndef STAVE_CLI_REPORT_COMPARE_PAIRS_H
#define STAVE_CLI_REPORT_COMPARE_PAIRS_H

#include "cli/report/compare.h"

/* A construct of one run, to be paired with those of others. The object stays the caller's. */
void compare_pairs_add(struct compare *compare, size_t run, enum compare_kind kind, const json_t *region,
                       double seconds);

/* When all runs are there: calls `add` for each construct, with the name of the row that it belongs to, and
 * forgets them. */
void compare_pairs_finish(struct compare *compare,
                          void (*add)(struct compare *compare, size_t run, enum compare_kind kind,
                                      const char *name, double seconds));

#endif
