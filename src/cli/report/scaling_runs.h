/* Running `stave report --scaling`: reads the runs, prints how they scale, and judges the conditions. */
#ifndef STAVE_CLI_REPORT_SCALING_RUNS_H
#define STAVE_CLI_REPORT_SCALING_RUNS_H

#include "cli/report/compare_runs.h"

struct scaling_request {
  const struct compare_request *runs; /* paths, count, form, top, report, data */
  bool is_weak;
  uint64_t predict;           /* as in struct scaling */
  const char *const *fail_if; /* as they were written */
  size_t fail_if_count;       /* COMPARE_CONDITIONS_MAX at most */
  const char *html;           /* the page's name; NULL: text or JSON */
};

/* Returns the command's exit status; EXIT_FOUND if a condition holds. */
int scaling_runs(const struct scaling_request *request);

#endif
