/* Running `stave report --compare`: reads the runs, compares them, prints, and judges the conditions. */
#ifndef STAVE_CLI_REPORT_COMPARE_RUNS_H
#define STAVE_CLI_REPORT_COMPARE_RUNS_H

#include "cli/report/compare.h"

#include <stdio.h>

enum compare_form { COMPARE_AS_TEXT, COMPARE_AS_BRIEF, COMPARE_AS_JSON, COMPARE_AS_MARKDOWN };

/* What is to be compared, and how it is reported. */
struct compare_request {
  char **paths; /* the old runs', then the new ones': archives, or files that --json has printed */
  size_t old_count, count;
  struct fail_condition *conditions;
  size_t condition_count; /* COMPARE_CONDITIONS_MAX at most */
  enum compare_form form;
  size_t top; /* rows of text at most */
  /* Writes what --json prints of the archive to `out`; returns an exit status, not 0 after a message. */
  int (*report)(void *data, const char *path, FILE *out);
  void *data;
};

/* What a run's report reports: of an archive, or of a file that --json has printed. The caller's to release;
 * NULL after a message. */
json_t *compare_read_run(const struct compare_request *requested, const char *path);

/* Returns the command's exit status; EXIT_FOUND if a condition holds. */
int compare_runs(const struct compare_request *requested);

#endif
