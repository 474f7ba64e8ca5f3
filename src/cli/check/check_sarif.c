#include "base/memory.h"
#include "cli/check/check_files.h"

#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "trace/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1024 };

static const char *level_of(enum check_severity severity) {
  static const char *const levels[] = {
      [CHECK_VIOLATION] = "error", [CHECK_HAZARD] = "warning", [CHECK_INFORMATION] = "note"};
  return levels[severity];
}

static json_t *text_of(const char *text) {
  return json_pack("{s:o}", "text", json_from_text(text));
}

/* -- rules -- */

static json_t *rules_of(void) {
  json_t *rules = json_array();
  for (int i = 0; i < CHECK_RULE_COUNT; i++) {
    const struct check_rule_text *rule = check_rule_text((enum check_rule)i);
    char help[TEXT_BYTES];
    snprintf(help, sizeof help, "%s (%s)", rule->explanation, rule->place);
    json_array_append_new(rules, json_pack("{s:s,s:o,s:o,s:o,s:{s:s}}", "id", rule->name, "shortDescription",
                                           text_of(rule->summary), "fullDescription",
                                           text_of(rule->explanation), "help", text_of(help),
                                           "defaultConfiguration", "level", level_of(rule->severity)));
  }
  return rules;
}

/* -- places -- */

/* A reference by RFC 3986: what is no letter, digit or -._~/ is a number. */
static json_t *uri_of(const char *path) {
  char *uri = memory_get(3 * strlen(path) + sizeof "file://", 1);
  size_t used = (size_t)sprintf(uri, "%s", *path == '/' ? "file://" : "");
  for (const unsigned char *byte = (const unsigned char *)path; *byte; byte++) {
    bool is_plain = (*byte >= 'a' && *byte <= 'z') || (*byte >= 'A' && *byte <= 'Z') ||
                    (*byte >= '0' && *byte <= '9') || strchr("-._~/", *byte);
    used += (size_t)sprintf(uri + used, is_plain ? "%c" : "%%%02X", *byte);
  }
  json_t *string = json_from_text(uri);
  free(uri);
  return string;
}

static json_t *location_of(const char *file, uint32_t line) {
  json_t *place = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri_of(file));
  if (line > 0)
    json_object_set_new(place, "region", json_pack("{s:I}", "startLine", (json_int_t)line));
  return json_pack("{s:o}", "physicalLocation", place);
}

/* Where a call of MPI is, else the region; empty if neither is known. */
static json_t *locations_of(const struct trace *trace, uint32_t position, uint64_t site) {
  const struct trace_code_line *line = site == TRACE_NO_REF ? NULL : trace_code_line(trace, site);
  const struct trace_region *region = position < trace->region_count ? &trace->regions[position] : NULL;
  json_t *locations = json_array();
  if (line && *line->file)
    json_array_append_new(locations, location_of(line->file, line->line));
  else if (region && *region->file)
    json_array_append_new(locations, location_of(region->file, region->begin_line));
  return locations;
}

/* -- results -- */

static json_t *result_of(const struct trace *trace, const struct check_finding *finding) {
  const struct check_rule_text *rule = check_rule_text(finding->rule);
  char name[LABEL_BYTES] = "", message[TEXT_BYTES];
  if (finding->region < trace->region_count)
    label_call(name, trace, finding->region, finding->site);
  snprintf(message, sizeof message, "%s%s%s: %s", rule->summary, *name ? ": " : "", name, finding->detail);
  json_t *result = json_pack(
      "{s:s,s:i,s:s,s:o,s:o,s:I}", "ruleId", rule->name, "ruleIndex", (int)finding->rule, "level",
      level_of(finding->severity), "message", text_of(message), "locations",
      locations_of(trace, finding->region, finding->site), "occurrenceCount", (json_int_t)finding->count);
  json_t *related = locations_of(trace, finding->other, TRACE_NO_REF);
  if (json_array_size(related) > 0)
    json_object_set_new(result, "relatedLocations", related);
  else
    json_decref(related);
  return result;
}

static json_t *notification(const char *level, const char *text) {
  return json_pack("{s:s,s:o}", "level", level, "message", text_of(text));
}

/* What was not checked is no success. */
static json_t *invocation_of(const struct check_result *result) {
  json_t *notifications = json_array();
  char text[TEXT_BYTES];
  if (result->is_partial)
    json_array_append_new(notifications, notification("error", result->partial_reason));
  for (int i = 0; i < CHECK_RULE_COUNT; i++) {
    if (!*result->not_checked[i])
      continue;
    snprintf(text, sizeof text, "not checked: %s: %s", check_rule_text((enum check_rule)i)->name,
             result->not_checked[i]);
    json_array_append_new(notifications, notification("warning", text));
  }
  return json_pack("{s:b,s:o}", "executionSuccessful", (int)!result->is_partial, "toolExecutionNotifications",
                   notifications);
}

static json_t *log_of(const struct trace *trace, const struct check_result *result) {
  json_t *results = json_array();
  for (size_t i = 0; i < result->count; i++)
    json_array_append_new(results, result_of(trace, &result->findings[i]));
  json_t *driver =
      json_pack("{s:s,s:s,s:o}", "name", "stave check", "version", STAVE_VERSION, "rules", rules_of());
  json_t *run = json_pack("{s:{s:o},s:[o],s:o}", "tool", "driver", driver, "invocations",
                          invocation_of(result), "results", results);
  return json_pack("{s:s,s:s,s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version",
                   "2.1.0", "runs", run);
}

bool check_write_sarif(const char *name, const struct trace *trace, const struct check_result *result) {
  struct partial_file file;
  if (!partial_file_open(&file, name))
    return false;
  json_t *log = memory_given(log_of(trace, result));
  bool is_written = json_dumpfd(log, file.fd, JSON_INDENT(1)) == 0 && write(file.fd, "\n", 1) == 1;
  if (!is_written)
    message_print("cannot write %s: %m", name);
  json_decref(log);
  return partial_file_close(&file, is_written);
}
