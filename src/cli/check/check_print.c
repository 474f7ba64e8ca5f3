#include "cli/check/check_print.h"

#include "base/plural.h"
#include "cli/common/json.h"
#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/terminal.h"
#include "trace/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES_SHOWN = 10, TEXT_BYTES = 1024 };

static const char *location_name(const struct trace *trace, const struct check_finding *finding) {
  return finding->location < trace->location_count ? trace->locations[finding->location].name : "";
}

/* -- text -- */

static void print_rule(enum check_rule rule, enum check_severity severity) {
  static const char *const colours[] = {
      [CHECK_VIOLATION] = "\033[1;31m", [CHECK_HAZARD] = "\033[1;33m", [CHECK_INFORMATION] = "\033[1m"};
  const struct check_rule_text *text = check_rule_text(rule);
  bool has_colour = terminal_has_colour(STDOUT_FILENO);
  char line[TEXT_BYTES];
  const char *name = check_severity_name(severity);
  printf("%s%s%s: ", has_colour ? colours[severity] : "", name, has_colour ? "\033[0m" : "");
  prose_print_fact(strlen(name) + 2, 2, text->summary);
  snprintf(line, sizeof line, "%s [%s; %s]", text->explanation, text->name, text->place);
  printf("  ");
  prose_print(2, 2, line);
}

static void print_place(const struct trace *trace, const struct check_finding *finding) {
  char text[TEXT_BYTES], count[32], where[256];
  bool has_region = finding->region < trace->region_count;
  char name[LABEL_BYTES] = "";
  if (has_region)
    label_call(name, trace, finding->region, finding->site);
  summary_number(count, finding->count);
  snprintf(where, sizeof where, "%s at %.6f ms", location_name(trace, finding),
           (double)trace_ns(trace, finding->ticks) / 1e6);
  snprintf(text, sizeof text, "%s%s%s%s%s: %s", name, has_region ? ", " : "", finding->count > 1 ? count : "",
           finding->count > 1 ? " times, first on " : "on ", where, finding->detail);
  printf("    ");
  prose_print(4, 4, text);
}

static bool begins_group(const struct check_result *result, size_t i) {
  const struct check_finding *before = i > 0 ? &result->findings[i - 1] : NULL;
  return !before || before->rule != result->findings[i].rule ||
         before->severity != result->findings[i].severity;
}

static size_t group_end(const struct check_result *result, size_t begin) {
  size_t end = begin + 1;
  while (end < result->count && !begins_group(result, end))
    end++;
  return end;
}

static void print_findings(const struct trace *trace, const struct check_result *result, bool is_all) {
  for (size_t i = 0, end; i < result->count; i = end) {
    end = group_end(result, i);
    print_rule(result->findings[i].rule, result->findings[i].severity);
    for (size_t j = i; j < end && (is_all || j < i + PLACES_SHOWN); j++)
      print_place(trace, &result->findings[j]);
    if (!is_all && end - i > PLACES_SHOWN)
      printf("    and %zu more places: --all shows them\n", end - i - PLACES_SHOWN);
    printf("\n");
  }
}

enum { RULES_BYTES = CHECK_RULE_COUNT * 32 };

/* The rules from this one on that are not checked for its reason, the first of them. */
static void name_rules(const struct check_result *result, int first, char names[RULES_BYTES]) {
  size_t used = 0;
  for (int rule = first; rule < CHECK_RULE_COUNT && used < RULES_BYTES; rule++)
    if (strcmp(result->not_checked[rule], result->not_checked[first]) == 0)
      used += (size_t)snprintf(names + used, RULES_BYTES - used, "%s%s", rule == first ? "" : ", ",
                               check_rule_text((enum check_rule)rule)->name);
}

static bool is_named(const struct check_result *result, int rule) {
  for (int earlier = 0; earlier < rule; earlier++)
    if (strcmp(result->not_checked[earlier], result->not_checked[rule]) == 0)
      return true;
  return false;
}

/* A line for each reason. */
static void print_not_checked(const struct check_result *result) {
  char names[RULES_BYTES];
  for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
    if (*result->not_checked[rule] && !is_named(result, rule)) {
      name_rules(result, rule, names);
      prose_printf(0, "not checked: %s: %s", names, result->not_checked[rule]);
    }
}

void check_print_text(const struct trace *trace, const struct check_result *result, bool is_all) {
  char events[32];
  print_findings(trace, result, is_all);
  if (result->omitted > 0)
    prose_printf(0, "%llu finding%s left out: more places than are kept", (unsigned long long)result->omitted,
                 plural(result->omitted));
  print_not_checked(result);
  if (result->dependences_withheld > 0)
    prose_printf(0, "not checked: the dependences of %llu task%s, which were not recorded",
                 (unsigned long long)result->dependences_withheld, plural(result->dependences_withheld));
  if (result->is_partial)
    prose_printf(0, "checked only up to %.6f ms: %s", (double)trace_ns(trace, result->until_ticks) / 1e6,
                 result->partial_reason);
  summary_number(events, result->events);
  prose_printf(
      0, "%s event%s checked: %llu violation%s, %llu hazard%s, %llu for information", events,
      plural(result->events), (unsigned long long)result->of_severity[CHECK_VIOLATION],
      plural(result->of_severity[CHECK_VIOLATION]), (unsigned long long)result->of_severity[CHECK_HAZARD],
      plural(result->of_severity[CHECK_HAZARD]), (unsigned long long)result->of_severity[CHECK_INFORMATION]);
}

/* -- JSON -- */

/* null if there is none. */
static json_t *region_of(const struct trace *trace, uint32_t position) {
  if (position >= trace->region_count)
    return json_null();
  const struct trace_region *region = &trace->regions[position];
  return json_pack("{s:o,s:o,s:I,s:o}", "name", json_from_text(region->name), "file",
                   json_from_text(region->file), "line", (json_int_t)region->begin_line, "module",
                   json_from_text(*region->module ? region->module : NULL));
}

/* Where a function of MPI is called; null if it is not known, or none. */
static json_t *site_of(const struct trace *trace, uint64_t site) {
  const struct trace_code_line *line = site == TRACE_NO_REF ? NULL : trace_code_line(trace, site);
  if (!line)
    return json_null();
  return json_pack("{s:o,s:I}", "file", json_from_text(line->file), "line", (json_int_t)line->line);
}

static json_t *finding_of(const struct trace *trace, const struct check_finding *finding) {
  const struct check_rule_text *rule = check_rule_text(finding->rule);
  return json_pack(
      "{s:s,s:s,s:s,s:s,s:s,s:I,s:o,s:o,s:o,s:o,s:I,s:I,s:o}", "rule", rule->name, "severity",
      check_severity_name(finding->severity), "specification", rule->place, "summary", rule->summary,
      "explanation", rule->explanation, "count", (json_int_t)finding->count, "region",
      region_of(trace, finding->region), "call_site", site_of(trace, finding->site), "other_region",
      region_of(trace, finding->other), "thread", json_from_text(location_name(trace, finding)), "location",
      (json_int_t)(finding->location < trace->location_count ? trace->locations[finding->location].ref : 0),
      "time_ns", (json_int_t)trace_ns(trace, finding->ticks), "detail", json_from_text(finding->detail));
}

static json_t *not_checked(const struct check_result *result) {
  json_t *object = json_object();
  for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
    if (*result->not_checked[rule])
      json_put(object, check_rule_text((enum check_rule)rule)->name,
               json_from_text(result->not_checked[rule]));
  return object;
}

static json_t *partial(const struct trace *trace, const struct check_result *result) {
  if (!result->is_partial)
    return json_null();
  return json_pack("{s:I,s:o}", "until_ns", (json_int_t)trace_ns(trace, result->until_ticks), "reason",
                   json_from_text(result->partial_reason));
}

void check_print_json(const struct trace *trace, const struct check_result *result) {
  json_t *findings = json_array();
  for (size_t i = 0; i < result->count; i++)
    json_array_append_new(findings, finding_of(trace, &result->findings[i]));
  json_t *object = json_pack(
      "{s:I,s:b,s:I,s:I,s:I,s:o,s:o,s:I,s:I,s:o}", "events", (json_int_t)result->events, "has_openmp",
      (int)result->has_openmp, "violations", (json_int_t)result->of_severity[CHECK_VIOLATION], "hazards",
      (json_int_t)result->of_severity[CHECK_HAZARD], "information",
      (json_int_t)result->of_severity[CHECK_INFORMATION], "partial", partial(trace, result), "not_checked",
      not_checked(result), "dependences_withheld", (json_int_t)result->dependences_withheld, "omitted",
      (json_int_t)result->omitted, "findings", findings);
  json_print(object);
}
