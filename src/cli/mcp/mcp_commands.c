/* Tools whose answer is what a command prints. */
#include "base/memory.h"
#include "cli/common/usage.h"
#include "cli/mcp/mcp_child.h"
#include "cli/mcp/mcp_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_S = 120, RECORD_LIMIT_S = 600, RUNS_MAX = 32, COMMAND_MAX = 64, ROWS = 50, ROWS_MAX = 1000 };

const char *mcp_path(char ret[MCP_PATH_BYTES], const json_t *path) {
  const char *text = json_string_value(path);
  snprintf(ret, MCP_PATH_BYTES, "%s%s", text && *text == '-' ? "./" : "", text ? text : "");
  return ret;
}

static bool is_done(const struct mcp_child *child) {
  return child->is_cut || child->status == EXIT_SUCCESS || child->status == EXIT_FOUND;
}

/* Runs stave; the answer is what it prints. */
static void mcp_answer_by(struct mcp_answer *answer, const char *const *arguments, int limit_s) {
  struct mcp_child child;
  mcp_child_run(&child, arguments, sizeof answer->text, limit_s);
  if (child.is_too_late)
    mcp_answer_fail(answer, "this was ended after %d s; request less\n", limit_s);
  else if (!is_done(&child))
    answer->is_error = true;
  mcp_answer_add(answer, "%s%s", child.output, child.errors);
  mcp_child_free(&child);
}

void mcp_info(struct mcp_answer *answer, const json_t *arguments) {
  char path[MCP_PATH_BYTES];
  mcp_answer_by(answer, (const char *[]){"info", mcp_path(path, json_object_get(arguments, "archive")), NULL},
                LIMIT_S);
}

void mcp_report(struct mcp_answer *answer, const json_t *arguments) {
  char path[MCP_PATH_BYTES];
  mcp_path(path, json_object_get(arguments, "archive"));
  mcp_answer_by(answer, (const char *[]){"report", "--brief", path, NULL}, LIMIT_S);
}

void mcp_check(struct mcp_answer *answer, const json_t *arguments) {
  char path[MCP_PATH_BYTES];
  mcp_answer_by(answer,
                (const char *[]){"check", mcp_path(path, json_object_get(arguments, "archive")), NULL},
                LIMIT_S);
}

void mcp_query(struct mcp_answer *answer, const json_t *arguments) {
  char path[MCP_PATH_BYTES], rows[24];
  const char *sql = json_string_value(json_object_get(arguments, "sql"));
  const json_t *requested = json_object_get(arguments, "rows");
  json_int_t most = json_is_integer(requested) ? json_integer_value(requested) : ROWS;
  snprintf(rows, sizeof rows, "%d", (int)(most < 1 ? 1 : most > ROWS_MAX ? ROWS_MAX : most));
  mcp_path(path, json_object_get(arguments, "archive"));
  if (sql)
    mcp_answer_by(answer, (const char *[]){"query", "--csv", "--rows", rows, "--", path, sql, NULL}, LIMIT_S);
  else
    mcp_answer_by(answer, (const char *[]){"query", "--csv", "--list", path, NULL}, LIMIT_S);
}

/* -- several runs -- */

static size_t add_paths(const char **words, size_t count, char (*paths)[MCP_PATH_BYTES],
                        const json_t *array) {
  for (size_t i = 0; i < json_array_size(array) && i < RUNS_MAX; i++)
    words[count++] = mcp_path(paths[i], json_array_get(array, i));
  return count;
}

void mcp_compare(struct mcp_answer *answer, const json_t *arguments) {
  const char *words[2 * RUNS_MAX + 5] = {"report", "--compare", "--brief"};
  char(*paths)[MCP_PATH_BYTES] = memory_get(2 * RUNS_MAX, sizeof *paths);
  const json_t *old = json_object_get(arguments, "old"), *new = json_object_get(arguments, "new");
  if (json_array_size(old) > RUNS_MAX || json_array_size(new) > RUNS_MAX) {
    mcp_answer_fail(answer, "at most %d runs on each side", RUNS_MAX);
  } else {
    size_t count = add_paths(words, 3, paths, old);
    words[count++] = "--";
    add_paths(words, count, paths + RUNS_MAX, new);
    mcp_answer_by(answer, words, LIMIT_S);
  }
  free(paths);
}

void mcp_record(struct mcp_answer *answer, const json_t *arguments) {
  char path[MCP_PATH_BYTES];
  const json_t *command = json_object_get(arguments, "command");
  const char *words[COMMAND_MAX + 5] = {"record", "-o", mcp_path(path, json_object_get(arguments, "output")),
                                        "--"};
  if (json_array_size(command) > COMMAND_MAX) {
    mcp_answer_fail(answer, "at most %d words", COMMAND_MAX);
    return;
  }
  for (size_t i = 0; i < json_array_size(command); i++)
    words[i + 4] = json_string_value(json_array_get(command, i));
  mcp_answer_by(answer, words, RECORD_LIMIT_S);
}
