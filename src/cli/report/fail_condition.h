/* A condition of --fail-if: "WHAT < NUMBER UNIT", of numbers without a unit. What of a run it may
 * name, and what it is compared with, is for those who judge it (report_condition.h, compare.h). */
#ifndef STAVE_CLI_REPORT_FAIL_CONDITION_H
#define STAVE_CLI_REPORT_FAIL_CONDITION_H

#include <regex.h>
#include <stdbool.h>

enum fail_condition_kind {
  CONDITION_RUN,      /* of the entire run */
  CONDITION_CAUSE,    /* what the findings of a cause could save */
  CONDITION_ACTIVITY, /* time of all threads */
  CONDITION_REGION,
};

struct fail_condition {
  const char *text;
  const char *meant; /* of one that is none: the word that its name may represent, or NULL */
  enum fail_condition_kind kind;
  char name[256]; /* after the colon, if there is one; region: a regular expression */
  bool is_less, is_percent, is_count;
  double limit; /* seconds; of a percentage a share of 1; of a count the number */
  regex_t pattern;
};

/* Reads a condition with one of these signs, on the entire run by one of these words (the last is NULL).
 * False if it is none. fail_condition_free if true. */
bool fail_condition_read(struct fail_condition *ret, const char *text, const char *signs,
                         const char *const *words);
void fail_condition_free(struct fail_condition *condition);

/* Whether a value, in the unit of the limit, is beyond it. */
bool fail_condition_is_beyond(const struct fail_condition *condition, double value);

#endif
