#include "cli/report/compare_runs.h"

#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/report/report_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of no disk, which may be full or read-only, where the kernel allows that. NULL after a message. */
static FILE *open_kept(void) {
  int fd = memfd_create("stave-report", MFD_CLOEXEC);
  FILE *file = fd < 0 ? tmpfile() : fdopen(fd, "w+");
  if (file)
    return file;
  message_print("no room for a report: %s", strerror(errno));
  if (fd >= 0)
    close(fd);
  return NULL;
}

/* NULL after a message. */
static json_t *report_of_archive(const struct compare_request *requested, const char *path) {
  json_t *object = NULL;
  FILE *out = open_kept();
  if (!out)
    return NULL;
  if (requested->report(requested->data, path, out) == EXIT_SUCCESS) {
    rewind(out);
    object = json_loadf(out, 0, NULL);
    if (!object)
      message_print("%s: its report cannot be read back", path);
  }
  fclose(out);
  return object;
}

/* An archive is a directory, or a file that begins otherwise. NULL: it is one. A pipe can be read but once.
 */
static FILE *open_object(const char *path) {
  FILE *file = fopen(path, "re");
  int first = file ? getc(file) : EOF;
  if (first == '{' && ungetc(first, file) == first)
    return file;
  if (file)
    fclose(file);
  return NULL;
}

/* A comparison has a version, too, and no time of one run. */
static bool is_of_one_run(const json_t *object) {
  return json_is_integer(json_object_get(object, "schema_version")) &&
         json_is_number(json_object_get(object, "wall_s"));
}

/* NULL after a message. */
static json_t *saved_report(const char *path, FILE *file) {
  json_t *object = json_loadf(file, 0, NULL);
  json_int_t version = json_integer_value(json_object_get(object, "schema_version"));
  if (version == REPORT_SCHEMA_VERSION && is_of_one_run(object))
    return object;
  bool is_comparison = json_is_array(json_object_get(object, "changes"));
  bool is_of_another = (version > REPORT_SCHEMA_VERSION && !is_comparison) || is_of_one_run(object);
  message_print(is_of_another ? "%s: a report of another version of Stave"
                              : "%s: no report of one run, as --json prints it",
                path);
  json_decref(object);
  return NULL;
}

json_t *compare_read_run(const struct compare_request *requested, const char *path) {
  FILE *file = open_object(path);
  json_t *object = file ? saved_report(path, file) : report_of_archive(requested, path);
  if (file)
    fclose(file);
  return object;
}

static int judge(const struct compare *compare, struct fail_condition *condition, int *ret_status) {
  const struct compare_row *row = NULL;
  char growth[COMPARE_GROWTH_BYTES];
  int holds = compare_condition_holds(compare, condition, &row);
  if (holds == 1)
    *ret_status = *ret_status == EXIT_SUCCESS ? EXIT_FOUND : *ret_status;
  if (holds < 0) {
    *ret_status = EXIT_FAILED;
    message_print("not in these runs: %s", condition->text);
  }
  if (row) {
    compare_condition_growth(growth, compare, condition, row);
    message_print("condition met: %s (%s)", condition->text, growth);
  }
  return holds;
}

static int print_compared(const struct compare_request *requested, const struct compare *compare) {
  int holds[COMPARE_CONDITIONS_MAX], status = EXIT_SUCCESS;
  for (size_t i = 0; i < requested->condition_count; i++)
    holds[i] = judge(compare, &requested->conditions[i], &status);
  switch (requested->form) {
  case COMPARE_AS_JSON:
    compare_print_json(compare, requested->conditions, holds, requested->condition_count);
    break;
  case COMPARE_AS_BRIEF:
    compare_print_brief(compare);
    break;
  case COMPARE_AS_MARKDOWN:
    compare_print_markdown(compare, requested->top);
    break;
  case COMPARE_AS_TEXT:
    compare_print_text(compare, requested->top);
  }
  return message_output_is_complete() ? status : EXIT_FAILED;
}

int compare_runs(const struct compare_request *requested) {
  struct compare compare = {.paths = (const char *const *)requested->paths,
                            .old_count = requested->old_count,
                            .count = requested->count};
  int status = EXIT_SUCCESS;
  for (size_t i = 0; i < requested->count && status == EXIT_SUCCESS; i++) {
    json_t *object = compare_read_run(requested, requested->paths[i]);
    if (object)
      compare_add(&compare, i, object);
    else
      status = EXIT_FAILED;
    json_decref(object);
  }
  if (status == EXIT_SUCCESS) {
    compare_finish(&compare);
    status = print_compared(requested, &compare);
  }
  compare_free(&compare);
  return status;
}
