/* The conditions of --fail-if: "WHAT > NUMBER UNIT". */
#include "cli/report/compare.h"

#include <stdio.h>
#include <string.h>

const char compare_condition_words[] =
    "wall, serial, parallel, useful, gain, cause:NAME (stave-report-json(5) has the names), activity:NAME or "
    "region:REGEX, then >, then a number and %, s, ms or us";

bool compare_condition_read(struct fail_condition *ret, const char *text) {
  static const char *const words[] = {"wall", "serial", "parallel", "useful", "gain", NULL};
  if (!fail_condition_read(ret, text, ">", words))
    return false;
  if (!ret->is_count)
    return true;
  fail_condition_free(ret);
  return false;
}

/* Not of regions. */
static enum compare_kind kind_of(const struct fail_condition *condition) {
  static const enum compare_kind kinds[] = {[CONDITION_RUN] = COMPARE_RUN,
                                            [CONDITION_CAUSE] = COMPARE_CAUSE,
                                            [CONDITION_ACTIVITY] = COMPARE_ACTIVITY};
  return kinds[condition->kind];
}

static bool is_meant(const struct fail_condition *condition, const struct compare_row *row) {
  bool is_region = row->kind == COMPARE_REGION || row->kind == COMPARE_PARALLEL;
  if (condition->kind == CONDITION_REGION)
    return is_region && regexec(&condition->pattern, row->name, 0, NULL, 0) == 0;
  return row->kind == kind_of(condition) && strcmp(row->name, condition->name) == 0;
}

/* The value that is 100 %: the wall time for possible savings, else the row's old value. */
static double reference_of(const struct compare *compare, const struct compare_row *row) {
  bool is_gain = row->kind == COMPARE_CAUSE || (row->kind == COMPARE_RUN && strcmp(row->name, "gain") == 0);
  for (size_t i = 0; is_gain && i < compare->row_count; i++)
    if (compare->rows[i].kind == COMPARE_RUN && strcmp(compare->rows[i].name, "wall") == 0)
      return compare->rows[i].old_median;
  return row->old_median;
}

static bool is_above(const struct compare *compare, const struct fail_condition *condition,
                     const struct compare_row *row) {
  double limit = condition->is_percent ? condition->limit * reference_of(compare, row) : condition->limit;
  return row->new_median - row->old_median > limit && compare_verdict(compare, row) != COMPARE_NOISE;
}

void compare_condition_growth(char text[COMPARE_GROWTH_BYTES], const struct compare *compare,
                              const struct fail_condition *condition, const struct compare_row *row) {
  double more = row->new_median - row->old_median, all = reference_of(compare, row);
  if (condition->is_percent && all > 0)
    snprintf(text, COMPARE_GROWTH_BYTES, "%s +%.1f %%", row->name, 100 * more / all);
  else
    snprintf(text, COMPARE_GROWTH_BYTES, "%s +%g s", row->name, more);
}

int compare_condition_holds(const struct compare *compare, struct fail_condition *condition,
                            const struct compare_row **ret) {
  bool is_known = condition->kind == CONDITION_CAUSE; /* no finding is none that has grown */
  for (size_t i = 0; i < compare->row_count; i++) {
    if (!is_meant(condition, &compare->rows[i]))
      continue;
    is_known = true;
    if (is_above(compare, condition, &compare->rows[i])) {
      *ret = &compare->rows[i];
      return 1;
    }
  }
  return is_known ? 0 : -1;
}
