#include "cli/report/report_condition.h"

#include <stdlib.h>
#include <string.h>

const char report_condition_words[] =
    "wall, serial, parallel, efficiency, finding, cause:NAME, activity:NAME or "
    "region:REGEX, then < or >, then a number and %, s, ms or us";

/* -- reading -- */

static bool read_limit(struct report_condition *ret, const char *text) {
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"%", 1e-2}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  char *end;
  ret->limit = strtod(text, &end);
  if (end == text || !(ret->limit >= 0 && ret->limit < 1e12))
    return false;
  end += strspn(end, " ");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0) {
      ret->is_percent = i == 0;
      ret->limit *= units[i].factor;
      return true;
    }
  return false;
}

static bool read_named(struct report_condition *ret) {
  static const struct {
    const char *prefix;
    enum condition_what what;
  } kinds[] = {{"region:", CONDITION_REGION}, {"cause:", CONDITION_CAUSE}, {"activity:", CONDITION_ACTIVITY}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i].prefix);
    if (strncmp(ret->name, kinds[i].prefix, length) != 0)
      continue;
    ret->what = kinds[i].what;
    memmove(ret->name, ret->name + length, strlen(ret->name + length) + 1);
    return *ret->name != '\0' && (ret->what != CONDITION_REGION ||
                                  regcomp(&ret->pattern, ret->name, REG_EXTENDED | REG_NOSUB) == 0);
  }
  return false;
}

static bool read_what(struct report_condition *ret) {
  static const char *const words[] = {[CONDITION_WALL] = "wall",
                                      [CONDITION_SERIAL] = "serial",
                                      [CONDITION_PARALLEL] = "parallel",
                                      [CONDITION_EFFICIENCY] = "efficiency",
                                      [CONDITION_FINDING] = "finding"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(ret->name, words[i]) == 0) {
      ret->what = (enum condition_what)i;
      /* a share of the wall time that is the wall time, or a time that is a share, says nothing */
      return ret->is_percent ? ret->what != CONDITION_WALL : ret->what != CONDITION_EFFICIENCY;
    }
  return read_named(ret);
}

/* The sign is the last one: a region's expression may have others. */
static const char *sign_of(const char *text) {
  const char *less = strrchr(text, '<'), *more = strrchr(text, '>');
  return !less || (more && more > less) ? more : less;
}

bool report_condition_read(struct report_condition *ret, const char *text) {
  const char *sign = sign_of(text);
  size_t length = sign ? (size_t)(sign - text) : 0;
  *ret = (struct report_condition){.text = text, .is_less = sign && *sign == '<'};
  while (length > 0 && text[length - 1] == ' ')
    length--;
  if (length == 0 || length >= sizeof ret->name)
    return false;
  memcpy(ret->name, text, length);
  return read_limit(ret, sign + 1) && read_what(ret);
}

void report_condition_free(struct report_condition *condition) {
  if (condition->what == CONDITION_REGION)
    regfree(&condition->pattern);
}

/* -- what is compared -- */

static double member(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

/* The most that a finding of the cause could save, of any if that is NULL; none: 0. */
static double gain_of(const json_t *report, const char *cause) {
  const json_t *findings = json_object_get(report, "findings");
  double most = 0;
  for (size_t i = 0; i < json_array_size(findings); i++) {
    const json_t *finding = json_array_get(findings, i);
    const char *name = json_string_value(json_object_get(finding, "cause"));
    if (!cause || (name && strcmp(name, cause) == 0))
      most = member(finding, "gain_s") > most ? member(finding, "gain_s") : most;
  }
  return most;
}

/* A parallel region's time is the wall's, that of others is all threads'. */
static double time_of(const json_t *report, const json_t *region, double *ret_whole) {
  const json_t *parallel = json_object_get(region, "parallel");
  double wall = member(report, "wall_s");
  *ret_whole = json_is_object(parallel) ? wall : wall * member(report, "threads");
  return json_is_object(parallel) ? member(json_object_get(parallel, "duration"), "sum_s")
                                  : member(region, "inclusive_s");
}

static bool is_beyond(const struct report_condition *condition, double value) {
  return condition->is_less ? value < condition->limit : value > condition->limit;
}

static double scaled(const struct report_condition *condition, double seconds, double whole) {
  if (!condition->is_percent)
    return seconds;
  return whole > 0 ? seconds / whole : 0;
}

/* Of several regions that match, one for which it holds is enough. */
static int holds_of_regions(const struct report_condition *condition, const json_t *report,
                            double *ret_value) {
  const json_t *regions = json_object_get(report, "regions");
  int holds = -1;
  for (size_t i = 0; i < json_array_size(regions) && holds != 1; i++) {
    const json_t *region = json_array_get(regions, i);
    const char *name = json_string_value(json_object_get(region, "name"));
    double whole = 0, seconds = time_of(report, region, &whole);
    if (!name || regexec(&condition->pattern, name, 0, NULL, 0) != 0)
      continue;
    *ret_value = scaled(condition, seconds, whole);
    holds = is_beyond(condition, *ret_value);
  }
  return holds;
}

/* -1: there is no such activity. */
static int holds_of_activity(const struct report_condition *condition, const json_t *report,
                             double *ret_value) {
  json_t *activities = json_object_get(report, "activities"), *seconds;
  const char *name;
  double all = 0;
  json_object_foreach(activities, name, seconds) all += json_number_value(seconds);
  seconds = json_object_get(activities, condition->name);
  if (!seconds)
    return -1;
  *ret_value = scaled(condition, json_number_value(seconds), all);
  return is_beyond(condition, *ret_value);
}

static double value_of(const struct report_condition *condition, const json_t *report) {
  double wall = member(report, "wall_s");
  switch (condition->what) {
  case CONDITION_SERIAL:
    return scaled(condition, member(report, "serial_s"), wall);
  case CONDITION_PARALLEL:
    return scaled(condition, member(report, "parallel_s"), wall);
  case CONDITION_EFFICIENCY:
    return member(json_object_get(report, "efficiency"), "parallel");
  case CONDITION_FINDING:
    return scaled(condition, gain_of(report, NULL), wall);
  case CONDITION_CAUSE:
    return scaled(condition, gain_of(report, condition->name), wall);
  case CONDITION_WALL:
  case CONDITION_ACTIVITY:
  case CONDITION_REGION:
    break;
  }
  return wall;
}

int report_condition_holds(const struct report_condition *condition, const json_t *report,
                           double *ret_value) {
  if (condition->what == CONDITION_REGION)
    return holds_of_regions(condition, report, ret_value);
  if (condition->what == CONDITION_ACTIVITY)
    return holds_of_activity(condition, report, ret_value);
  *ret_value = value_of(condition, report);
  return is_beyond(condition, *ret_value);
}
