#include "cli/mcp/mcp_tools.h"

#include "cli/mcp/mcp_answer.h"
#include "cli/mcp/mcp_run.h"

#include <string.h>

enum { PARAMETERS_MAX = 4 };

struct mcp_parameter {
  const char *name, *type; /* as JSON Schema names it; "array" is one of strings */
  bool is_required;
  const char *description;
};

#define ARCHIVE                                                                                              \
  { "archive", "string", true, "the archive's folder, as list_archives has it" }

/* Which ones may be called, and what for. */
static const struct mcp_tool {
  const char *name, *description;
  mcp_run *run;
  bool writes;
  struct mcp_parameter parameters[PARAMETERS_MAX];
} tools[] = {
    {"list_archives",
     "Finds archives below a folder, the newest first.",
     mcp_list_archives,
     false,
     {{"folder", "string", false, "where to look; the server's working directory if left out"}}},
    {"info",
     "What an archive is of: program, arguments, machine, runtime, threads, settings, how the run ended.",
     mcp_info,
     false,
     {ARCHIVE}},
    {"report",
     "An overview in at most 20 lines: wall time, efficiency, what the threads' time went to, the "
     "greatest findings with what to do.",
     mcp_report,
     false,
     {ARCHIVE}},
    {"findings",
     "What would save wall time, the most first: a line each with its number, cause, place and how "
     "much, at most 20.",
     mcp_findings,
     false,
     {ARCHIVE}},
    {"explain",
     "All about one finding: evidence, what to do, confidence, which thread and call, the figures of "
     "its region, and the source lines there.",
     mcp_explain,
     false,
     {ARCHIVE, {"finding", "integer", true, "its number, from 1, as findings has it"}}},
    {"source",
     "Lines of a source file that the archive names.",
     mcp_source,
     false,
     {ARCHIVE,
      {"file", "string", true, "as findings names it"},
      {"line", "integer", true, "the line in the middle"},
      {"around", "integer", false, "lines before and after it: 10 if left out"}}},
    {"query",
     "SQL (SQLite) over tables of the archive: regions, threads, tasks, task_slices, lock_acquisitions, "
     "waits, "
     "messages, chunks and more; times are in ns. Without sql: all tables with their columns.",
     mcp_query,
     false,
     {ARCHIVE,
      {"sql", "string", false, "one SELECT"},
      {"rows", "integer", false, "rows at most: 50 if left out"}}},
    {"check",
     "Whether the run kept the rules of OpenMP and MPI: misuse, with the places.",
     mcp_check,
     false,
     {ARCHIVE}},
    {"compare",
     "What changed between runs, the wall time first, and whether that may be noise.",
     mcp_compare,
     false,
     {{"old", "array", true, "archives of the runs before"},
      {"new", "array", true, "archives of the runs after"}}},
    {"record",
     "Runs a program and writes its archive.",
     mcp_record,
     true,
     {{"command", "array", true, "the program and its arguments"},
      {"output", "string", true, "the archive's folder; if it is there, the next one with a number"}}},
};

/* -- what there is -- */

static json_t *schema_of(const struct mcp_tool *tool) {
  json_t *properties = json_object(), *required = json_array();
  for (size_t i = 0; i < PARAMETERS_MAX && tool->parameters[i].name; i++) {
    const struct mcp_parameter *one = &tool->parameters[i];
    json_t *property = json_pack("{s:s,s:s}", "type", one->type, "description", one->description);
    if (strcmp(one->type, "array") == 0)
      json_object_set_new(property, "items", json_pack("{s:s}", "type", "string"));
    json_object_set_new(properties, one->name, property);
    if (one->is_required)
      json_array_append_new(required, json_string(one->name));
  }
  return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties, "required", required);
}

json_t *mcp_tools_list(bool may_record) {
  json_t *list = json_array();
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
    if (may_record || !tools[i].writes)
      json_array_append_new(list, json_pack("{s:s,s:s,s:o,s:{s:b}}", "name", tools[i].name, "description",
                                            tools[i].description, "inputSchema", schema_of(&tools[i]),
                                            "annotations", "readOnlyHint", !tools[i].writes));
  return list;
}

/* -- calls -- */

static bool are_strings(const json_t *value) {
  bool are = json_array_size(value) > 0;
  for (size_t i = 0; i < json_array_size(value); i++)
    are &= json_is_string(json_array_get(value, i));
  return are;
}

static bool is_right(const struct mcp_parameter *parameter, const json_t *value) {
  if (!value || json_is_null(value))
    return !parameter->is_required;
  if (strcmp(parameter->type, "array") == 0)
    return are_strings(value);
  return strcmp(parameter->type, "integer") == 0 ? json_is_integer(value) : json_is_string(value);
}

static bool are_right(struct mcp_answer *answer, const struct mcp_tool *tool, const json_t *arguments) {
  for (size_t i = 0; i < PARAMETERS_MAX && tool->parameters[i].name; i++) {
    const struct mcp_parameter *one = &tool->parameters[i];
    if (is_right(one, json_object_get(arguments, one->name)))
      continue;
    mcp_answer_fail(answer, "%s has to be a JSON %s%s: %s", one->name, one->type,
                    strcmp(one->type, "array") == 0 ? " of strings" : "", one->description);
    return false;
  }
  return true;
}

json_t *mcp_tools_call(const char *name, const json_t *arguments, bool may_record) {
  struct mcp_answer answer = {.length = 0};
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
    if (strcmp(tools[i].name, name) != 0 || (tools[i].writes && !may_record))
      continue;
    if (are_right(&answer, &tools[i], arguments))
      tools[i].run(&answer, arguments);
    return mcp_answer_result(&answer);
  }
  return NULL;
}
