/* The conditions of --fail-if for one run by itself: "efficiency < 60 %", "wall > 2 s", "region:REGEX > 3 %".
 */
#ifndef STAVE_CLI_REPORT_REPORT_CONDITION_H
#define STAVE_CLI_REPORT_REPORT_CONDITION_H

#include "cli/common/json.h"

#include <regex.h>
#include <stdbool.h>

enum condition_what {
  CONDITION_WALL,
  CONDITION_SERIAL,
  CONDITION_PARALLEL,
  CONDITION_EFFICIENCY,
  CONDITION_FINDING, /* what the first one could save */
  CONDITION_CAUSE,
  CONDITION_ACTIVITY,
  CONDITION_REGION,
};

struct report_condition {
  const char *text;
  enum condition_what what;
  char name[256]; /* behind the colon */
  bool is_less, is_percent;
  double limit; /* seconds; of a percentage a share of 1 */
  regex_t pattern;
};

/* Words for whoever has written a condition that is none. */
extern const char report_condition_words[];

/* False if it is none. report_condition_free if true. */
bool report_condition_read(struct report_condition *ret, const char *text);
void report_condition_free(struct report_condition *condition);

/* Whether it holds of what report --json prints: 1 or 0; -1 if it names what is not there. Where it holds,
 * *ret_value is what was compared, in the unit of the limit. */
int report_condition_holds(const struct report_condition *condition, const json_t *report, double *ret_value);

#endif
