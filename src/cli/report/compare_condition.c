/* The conditions of --fail-if: "WHAT > NUMBER UNIT". */
#include "cli/report/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_limit(struct compare_condition *ret, const char *text) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  char *end;
  ret->limit = strtod(text, &end);
  if (end == text || !(ret->limit >= 0 && ret->limit < 1e12))
    return false;
  end += strspn(end, " ");
  ret->is_percent = strcmp(end, "%") == 0;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0) {
      ret->limit *= units[i].seconds;
      return true;
    }
  return ret->is_percent;
}

static bool read_what(struct compare_condition *ret) {
  static const struct {
    const char *prefix;
    enum compare_kind kind;
  } kinds[] = {{"region:", COMPARE_REGION}, {"cause:", COMPARE_CAUSE}, {"activity:", COMPARE_ACTIVITY}};
  ret->kind = COMPARE_RUN;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i].prefix);
    if (strncmp(ret->name, kinds[i].prefix, length) != 0)
      continue;
    ret->kind = kinds[i].kind;
    memmove(ret->name, ret->name + length, strlen(ret->name + length) + 1);
    return *ret->name != '\0' &&
           (ret->kind != COMPARE_REGION || regcomp(&ret->pattern, ret->name, REG_EXTENDED | REG_NOSUB) == 0);
  }
  static const char *const names[] = {"wall", "serial", "parallel", "useful", "gain"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(ret->name, names[i]) == 0)
      return true;
  return false;
}

bool compare_condition_read(struct compare_condition *ret, const char *text) {
  const char *sign = strrchr(text, '>');
  size_t length = sign ? (size_t)(sign - text) : 0;
  *ret = (struct compare_condition){.text = text};
  while (length > 0 && text[length - 1] == ' ')
    length--;
  if (length == 0 || length >= sizeof ret->name)
    return false;
  memcpy(ret->name, text, length);
  return read_limit(ret, sign + 1) && read_what(ret);
}

void compare_condition_free(struct compare_condition *condition) {
  if (condition->kind == COMPARE_REGION)
    regfree(&condition->pattern);
}

static bool is_meant(const struct compare_condition *condition, const struct compare_row *row) {
  bool is_region = row->kind == COMPARE_REGION || row->kind == COMPARE_PARALLEL;
  if (condition->kind == COMPARE_REGION)
    return is_region && regexec(&condition->pattern, row->name, 0, NULL, 0) == 0;
  return row->kind == condition->kind && strcmp(row->name, condition->name) == 0;
}

/* What 100 % are: of what could be saved the wall time, else what it was itself. */
static double whole(const struct compare *compare, const struct compare_row *row) {
  bool is_gain = row->kind == COMPARE_CAUSE || (row->kind == COMPARE_RUN && strcmp(row->name, "gain") == 0);
  for (size_t i = 0; is_gain && i < compare->row_count; i++)
    if (compare->rows[i].kind == COMPARE_RUN && strcmp(compare->rows[i].name, "wall") == 0)
      return compare->rows[i].old_median;
  return row->old_median;
}

static bool is_above(const struct compare *compare, const struct compare_condition *condition,
                     const struct compare_row *row) {
  double limit = condition->is_percent ? condition->limit / 100 * whole(compare, row) : condition->limit;
  return row->new_median - row->old_median > limit && compare_verdict(compare, row) != COMPARE_NOISE;
}

int compare_condition_holds(const struct compare *compare, struct compare_condition *condition) {
  bool is_known = condition->kind == COMPARE_CAUSE; /* no finding is none that has grown */
  for (size_t i = 0; i < compare->row_count; i++) {
    if (!is_meant(condition, &compare->rows[i]))
      continue;
    is_known = true;
    if (is_above(compare, condition, &compare->rows[i]))
      return 1;
  }
  return is_known ? 0 : -1;
}
