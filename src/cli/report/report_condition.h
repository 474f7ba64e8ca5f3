/* The conditions of --fail-if for one run by itself: "efficiency < 60 %", "wall > 2 s", "region:REGEX > 3 %".
 */
#ifndef STAVE_CLI_REPORT_REPORT_CONDITION_H
#define STAVE_CLI_REPORT_REPORT_CONDITION_H

#include "cli/common/json.h"
#include "cli/report/fail_condition.h"

/* Words for whoever has written a condition that is none. */
extern const char report_condition_words[];

/* False if it is none. fail_condition_free if true. */
bool report_condition_read(struct fail_condition *ret, const char *text);

/* Whether it is about what stave check finds: report_condition_holds then needs `violations` and `hazards` as
 * members of the report, as check --json has them. */
bool report_condition_is_of_check(const struct fail_condition *condition);

/* Whether it holds of what report --json prints: 1 or 0; -1 if it names what is not there, or not known.
 * Where it holds, *ret_value is what was compared, in the unit of the limit. */
int report_condition_holds(const struct fail_condition *condition, const json_t *report, double *ret_value);

#endif
