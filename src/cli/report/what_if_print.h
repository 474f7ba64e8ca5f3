/* `stave report --what-if`: what the wall time would be if something were otherwise. */
#ifndef STAVE_CLI_REPORT_WHAT_IF_PRINT_H
#define STAVE_CLI_REPORT_WHAT_IF_PRINT_H

#include "cli/common/archive_job.h"
#include "cli/common/json.h"

enum { WHAT_IF_TEXTS_MAX = 8, WHAT_IF_SCHEMA_VERSION = 1 };

struct what_if_request {
  const char *texts[WHAT_IF_TEXTS_MAX]; /* as they were written */
  size_t count;
  bool is_json;
  size_t top; /* rows of the table at most */
};

/* False, after usage_error, if one of the texts is none that can be computed. */
bool what_if_check(const struct what_if_request *request);

/* "regions": every region made faster, which is computed for all of them. */
bool what_if_is_table(const struct what_if_request *request);

/* How much threads were preempted in the run: a prediction is as right as the run was undisturbed. */
void what_if_print_preempted(const struct trace *trace);
void what_if_put_preempted(json_t *object, const struct trace *trace);

/* struct archive_job's work: `stave report --what-if regions`. */
int what_if_print_table(void *request, const struct archive_job *job);

/* Each by itself and, of several, all together. struct archive_job's work. */
int what_if_print(void *request, const struct archive_job *job);

#endif
