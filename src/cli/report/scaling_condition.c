/* --fail-if of a scaling: "efficiency at 8 < 70 %". */
#include "cli/report/scaling.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

const char scaling_condition_words[] = "efficiency, speedup, a factor (load_balance, computation ...; "
                                       "stave-report-json(5) has the names) or region:REGEX "
                                       "(its efficiency), then 'at' and a number of threads, then < or >, "
                                       "then a number, of all but speedup with %";

static const char region_prefix[] = "region:";

static bool is_region(const char *what) {
  return strncmp(what, region_prefix, strlen(region_prefix)) == 0;
}

static enum scaling_factor factor_named(const char *what) {
  enum scaling_factor factor = 0;
  while (factor < FACTOR_COUNT && strcmp(factor_json_name(factor), what) != 0)
    factor++;
  return factor;
}

static bool is_known(const char *what) {
  regex_t pattern;
  if (!is_region(what))
    return strcmp(what, "efficiency") == 0 || strcmp(what, "speedup") == 0 ||
           factor_named(what) != FACTOR_COUNT;
  if (regcomp(&pattern, what + strlen(region_prefix), REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  regfree(&pattern);
  return what[strlen(region_prefix)] != '\0';
}

static void cut_blanks(char *text) {
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ')
    text[--length] = '\0';
}

/* Removes " at N" from the end and reads N. False if N is no number. */
static bool read_threads(struct scaling_condition *ret) {
  char *at = NULL, *end;
  for (char *found = strstr(ret->what, " at "); found; found = strstr(found + 1, " at "))
    at = found;
  if (!at)
    return true;
  unsigned long threads = strtoul(at + 4, &end, 10);
  ret->threads = threads;
  *at = '\0';
  cut_blanks(ret->what);
  return *end == '\0' && threads > 0;
}

static bool read_limit(struct scaling_condition *ret, const char *text) {
  char *end;
  bool is_plain = strcmp(ret->what, "speedup") == 0;
  ret->limit = strtod(text, &end);
  if (end == text || !(ret->limit >= 0 && ret->limit < 1e12))
    return false;
  end += strspn(end, " ");
  ret->limit *= is_plain ? 1 : 0.01;
  return strcmp(end, is_plain ? "" : "%") == 0;
}

bool scaling_condition_read(struct scaling_condition *ret, const char *text) {
  const char *sign = NULL;
  for (const char *at = strpbrk(text, "<>"); at; at = strpbrk(at + 1, "<>"))
    sign = at;
  if (!sign || (size_t)(sign - text) >= SCALING_CONDITION_BYTES)
    return false;
  *ret = (struct scaling_condition){.text = text, .is_less = *sign == '<'};
  memcpy(ret->what, text, (size_t)(sign - text));
  cut_blanks(ret->what);
  return read_threads(ret) && is_known(ret->what) && read_limit(ret, sign + 1);
}

/* NAN: not known. */
static double value_of(const struct scaling_condition *condition, const struct scaling_point *point) {
  if (!point->is_there)
    return NAN;
  if (strcmp(condition->what, "efficiency") == 0 || is_region(condition->what))
    return point->efficiency;
  return strcmp(condition->what, "speedup") == 0 ? point->speedup
                                                 : point->factors[factor_named(condition->what)];
}

static bool is_beyond(const struct scaling_condition *condition, double value) {
  return condition->is_less ? value < condition->limit : value > condition->limit;
}

/* Of several regions any. */
static int holds_in(const struct scaling_condition *condition, const struct scaling *scaling, size_t step,
                    double *ret) {
  regex_t pattern;
  int holds = -1;
  if (regcomp(&pattern, condition->what + strlen(region_prefix), REG_EXTENDED | REG_NOSUB) != 0)
    return -1;
  for (size_t i = 1; i < scaling->part_count && holds < 1; i++) {
    double value = value_of(condition, &scaling->parts[i].points[step]);
    if (isnan(value) || regexec(&pattern, scaling->parts[i].name, 0, NULL, 0) != 0)
      continue;
    *ret = value;
    holds = is_beyond(condition, value);
  }
  regfree(&pattern);
  return holds;
}

int scaling_condition_holds(const struct scaling_condition *condition, const struct scaling *scaling,
                            double *ret) {
  size_t step = scaling->step_count - 1;
  while (condition->threads && step > 0 && scaling->steps[step].threads != condition->threads)
    step--;
  if (condition->threads && scaling->steps[step].threads != condition->threads)
    return -1;
  if (is_region(condition->what))
    return holds_in(condition, scaling, step, ret);
  *ret = value_of(condition, &scaling->parts[0].points[step]);
  return isnan(*ret) ? -1 : is_beyond(condition, *ret);
}
