#include "cli/report/report_condition.h"

#include <math.h>
#include <string.h>

const char report_condition_words[] =
    "wall, serial, parallel, efficiency, finding, cause:NAME (stave-report-json(5) has the names), "
    "activity:NAME or region:REGEX, then < or >, then a number and %, s, ms or us; violations, hazards (what "
    "stave check finds), then < or >, then a number";

bool report_condition_is_of_check(const struct fail_condition *condition) {
  return condition->kind == CONDITION_RUN &&
         (strcmp(condition->name, "violations") == 0 || strcmp(condition->name, "hazards") == 0);
}

/* A share of the wall time that is the wall time, or a time that is a share, shows nothing. */
static bool has_sense(const struct fail_condition *condition) {
  bool is_run = condition->kind == CONDITION_RUN;
  if (condition->is_count || report_condition_is_of_check(condition))
    return condition->is_count && report_condition_is_of_check(condition);
  return condition->is_percent ? !is_run || strcmp(condition->name, "wall") != 0
                               : !is_run || strcmp(condition->name, "efficiency") != 0;
}

bool report_condition_read(struct fail_condition *ret, const char *text) {
  static const char *const words[] = {"wall",    "serial",     "parallel", "efficiency",
                                      "finding", "violations", "hazards",  NULL};
  if (!fail_condition_read(ret, text, "<>", words))
    return false;
  if (has_sense(ret))
    return true;
  fail_condition_free(ret);
  return false;
}

/* NAN: it is not known. */
static double member(const json_t *object, const char *name) {
  const json_t *number = json_object_get(object, name);
  return json_is_number(number) ? json_number_value(number) : NAN;
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
static double time_of(const json_t *report, const json_t *region, double *ret_total) {
  const json_t *parallel = json_object_get(region, "parallel");
  double wall = member(report, "wall_s");
  *ret_total = json_is_object(parallel) ? wall : wall * member(report, "threads");
  return json_is_object(parallel) ? member(json_object_get(parallel, "duration"), "sum_s")
                                  : member(region, "inclusive_s");
}

/* A share of nothing is not known. */
static double scaled(const struct fail_condition *condition, double seconds, double total) {
  if (!condition->is_percent)
    return seconds;
  return total > 0 ? seconds / total : NAN;
}

/* -1: what it is compared with is not known. */
static int judged(const struct fail_condition *condition, double value, double *ret_value) {
  *ret_value = value;
  return isnan(value) ? -1 : fail_condition_is_beyond(condition, value);
}

/* Of several regions that match, one for which it holds is enough. */
static int holds_of_regions(const struct fail_condition *condition, const json_t *report, double *ret_value) {
  const json_t *regions = json_object_get(report, "regions");
  int holds = -1;
  for (size_t i = 0; i < json_array_size(regions) && holds != 1; i++) {
    const json_t *region = json_array_get(regions, i);
    const char *name = json_string_value(json_object_get(region, "name"));
    double total = 0, seconds = time_of(report, region, &total);
    if (!name || regexec(&condition->pattern, name, 0, NULL, 0) != 0)
      continue;
    holds = judged(condition, scaled(condition, seconds, total), ret_value);
  }
  return holds;
}

/* -1: there is no such activity. */
static int holds_of_activity(const struct fail_condition *condition, const json_t *report,
                             double *ret_value) {
  json_t *activities = json_object_get(report, "activities"), *seconds;
  const char *name;
  double all = 0;
  json_object_foreach(activities, name, seconds) all += json_number_value(seconds);
  seconds = json_object_get(activities, condition->name);
  if (!seconds)
    return -1;
  return judged(condition, scaled(condition, json_number_value(seconds), all), ret_value);
}

static double value_of(const struct fail_condition *condition, const json_t *report) {
  double wall = member(report, "wall_s");
  if (report_condition_is_of_check(condition))
    return member(report, condition->name);
  if (condition->kind == CONDITION_CAUSE)
    return scaled(condition, gain_of(report, condition->name), wall);
  if (strcmp(condition->name, "serial") == 0)
    return scaled(condition, member(report, "serial_s"), wall);
  if (strcmp(condition->name, "parallel") == 0)
    return scaled(condition, member(report, "parallel_s"), wall);
  if (strcmp(condition->name, "efficiency") == 0)
    return member(json_object_get(report, "efficiency"), "parallel");
  if (strcmp(condition->name, "finding") == 0)
    return scaled(condition, gain_of(report, NULL), wall);
  return wall;
}

int report_condition_holds(const struct fail_condition *condition, const json_t *report, double *ret_value) {
  if (condition->kind == CONDITION_REGION)
    return holds_of_regions(condition, report, ret_value);
  if (condition->kind == CONDITION_ACTIVITY)
    return holds_of_activity(condition, report, ret_value);
  return judged(condition, value_of(condition, report), ret_value);
}
