/* Findings, one by one, and the source lines where they are. */
#include "cli/common/usage.h"
#include "cli/mcp/mcp_child.h"
#include "cli/mcp/mcp_run.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  LIMIT_S = 120,
  OBJECT_BYTES = 256 << 20,
  FINDINGS_MAX = 20,
  AROUND = 10,
  AROUND_MAX = 100,
  PART_BYTES = 900
};

/* The object that report --json prints, the caller's to release; NULL: there is none, and the answer has the
 * reason. */
static json_t *mcp_report_object(struct mcp_answer *answer, const json_t *arguments) {
  char path[MCP_PATH_BYTES];
  struct mcp_child child;
  mcp_path(path, json_object_get(arguments, "archive"));
  mcp_child_run(&child, (const char *[]){"report", "--json", path, NULL}, OBJECT_BYTES, LIMIT_S);
  json_t *object = child.is_cut ? NULL : json_loadb(child.output, child.length, 0, NULL);
  if (!object)
    mcp_answer_fail(answer, "%s", *child.errors ? child.errors : "there is no report of this archive");
  mcp_child_free(&child);
  return object;
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static double number_of(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

/* -- all of them -- */

static void add_place(struct mcp_answer *answer, const json_t *finding) {
  if (*text_of(finding, "file"))
    mcp_answer_add(answer, " [%s:%.0f]", text_of(finding, "file"), number_of(finding, "line"));
}

static void add_finding(struct mcp_answer *answer, const json_t *finding, size_t number) {
  mcp_answer_add(answer, "%zu. %s: up to %.3f ms (%.1f %% of wall time), confidence: %s: %s", number,
                 text_of(finding, "cause"), 1e3 * number_of(finding, "gain_s"),
                 100 * number_of(finding, "gain_share"), text_of(finding, "confidence"),
                 text_of(finding, "what"));
  add_place(answer, finding);
  mcp_answer_add(answer, "\n");
}

void mcp_findings(struct mcp_answer *answer, const json_t *arguments) {
  json_t *report = mcp_report_object(answer, arguments);
  if (!report)
    return;
  const json_t *findings = json_object_get(report, "findings");
  size_t count = json_array_size(findings);
  mcp_answer_add(answer, "wall time %.6f s, %.0f threads, parallel efficiency %.1f %%\n",
                 number_of(report, "wall_s"), number_of(report, "threads"),
                 100 * number_of(json_object_get(report, "efficiency"), "parallel"));
  for (size_t i = 0; i < count && i < FINDINGS_MAX; i++)
    add_finding(answer, json_array_get(findings, i), i + 1);
  if (count > FINDINGS_MAX)
    mcp_answer_add(answer, "%zu smaller ones are left out\n", count - FINDINGS_MAX);
  if (count == 0)
    mcp_answer_add(answer, "no finding above 1 %% of wall time\n");
  json_decref(report);
}

/* -- source lines -- */

/* A line of a file, with its number; false after the last. */
static bool add_source_line(struct mcp_answer *answer, FILE *file, json_int_t number, json_int_t marked) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length = getline(&line, &capacity, file);
  if (length > 0 && marked >= 0)
    mcp_answer_add(answer, "%s%5" JSON_INTEGER_FORMAT " %.200s\n", number == marked ? ">" : " ", number,
                   (line[strcspn(line, "\r\n")] = '\0', line));
  free(line);
  return length >= 0;
}

/* NULL: there is none that can be read without waiting. */
static FILE *open_regular(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
}

static bool add_source(struct mcp_answer *answer, const char *path, json_int_t line, json_int_t around) {
  FILE *file = open_regular(path);
  bool goes_on = file != NULL;
  for (json_int_t number = 1; goes_on && number <= line + around; number++)
    goes_on = add_source_line(answer, file, number, number < line - around ? -1 : line);
  if (file)
    fclose(file);
  return file != NULL;
}

/* Nothing but what the archive names is read, whatever is requested. */
static const char *named_file(const json_t *report, const char *requested) {
  const json_t *regions = json_object_get(report, "regions");
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const char *file = text_of(json_array_get(regions, i), "file"), *base = strrchr(file, '/');
    if (*file && (strcmp(file, requested) == 0 || (base && strcmp(base + 1, requested) == 0)))
      return file;
  }
  return NULL;
}

void mcp_source(struct mcp_answer *answer, const json_t *arguments) {
  json_t *report = mcp_report_object(answer, arguments);
  if (!report)
    return;
  const json_t *context = json_object_get(arguments, "around");
  json_int_t line = json_integer_value(json_object_get(arguments, "line"));
  json_int_t around = json_is_integer(context) ? json_integer_value(context) : AROUND;
  const char *requested = text_of(arguments, "file"), *file = named_file(report, requested);
  around = around < 0 ? 0 : around > AROUND_MAX ? AROUND_MAX : around;
  if (!file)
    mcp_answer_fail(answer, "the archive names no file %s", requested);
  else if (line < 1 || line > INT_MAX)
    mcp_answer_fail(answer, "lines begin with 1");
  else if (!add_source(answer, file, line, around))
    mcp_answer_fail(answer, "%s cannot be read here", file);
  json_decref(report);
}

/* -- one of them -- */

static const json_t *region_of(const json_t *report, const char *name) {
  const json_t *regions = json_object_get(report, "regions");
  for (size_t i = 0; i < json_array_size(regions); i++)
    if (strcmp(text_of(json_array_get(regions, i), "name"), name) == 0)
      return json_array_get(regions, i);
  return NULL;
}

static void add_part(struct mcp_answer *answer, const json_t *region, const char *name) {
  const json_t *part = json_object_get(region, name);
  char *text = part ? json_dumps(part, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
  if (text)
    mcp_answer_add(answer, "%s: %.*s%s\n", name, PART_BYTES, text, strlen(text) > PART_BYTES ? " ..." : "");
  free(text);
}

static void add_region(struct mcp_answer *answer, const json_t *region) {
  static const char *const parts[] = {"parallel", "worksharing", "lock", "task", "mpi_waits"};
  mcp_answer_add(answer, "region %s: entered %.0f times, %.6f s, useful %.6f s, waits %.6f s\n",
                 text_of(region, "name"), number_of(region, "entered"), number_of(region, "inclusive_s"),
                 number_of(region, "useful_s"), number_of(region, "wait_s"));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (json_array_size(json_object_get(region, parts[i])) ||
        json_object_size(json_object_get(region, parts[i])))
      add_part(answer, region, parts[i]);
}

static void add_explanation(struct mcp_answer *answer, const json_t *report, const json_t *finding) {
  static const char *const facts[] = {"evidence", "advice", "reason", "thread", "function", "module"};
  const json_t *region = region_of(report, text_of(finding, "region"));
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (*text_of(finding, facts[i]))
      mcp_answer_add(answer, "%s: %s\n", facts[i], text_of(finding, facts[i]));
  for (const char *const *name = (const char *[]){"call_site", "instances", "samples", NULL}; *name; name++)
    if (json_object_size(json_object_get(finding, *name)))
      add_part(answer, finding, *name);
  if (region)
    add_region(answer, region);
  if (*text_of(finding, "file"))
    add_source(answer, text_of(finding, "file"), (json_int_t)number_of(finding, "line"), AROUND);
}

void mcp_explain(struct mcp_answer *answer, const json_t *arguments) {
  json_t *report = mcp_report_object(answer, arguments);
  json_int_t number = json_integer_value(json_object_get(arguments, "finding"));
  const json_t *findings = json_object_get(report, "findings");
  if (report && (number < 1 || (size_t)number > json_array_size(findings))) {
    mcp_answer_fail(answer, "there are %zu findings", json_array_size(findings));
  } else if (report) {
    const json_t *finding = json_array_get(findings, (size_t)number - 1);
    add_finding(answer, finding, (size_t)number);
    add_explanation(answer, report, finding);
  }
  json_decref(report);
}
