/* `stave report --html`: many runs as one page that needs nothing else. */
#ifndef STAVE_CLI_REPORT_HISTORY_H
#define STAVE_CLI_REPORT_HISTORY_H

#include "cli/report/compare_runs.h"

/* Reads the runs (paths, count, report and data of `requested`), in order of their dates, and writes the page
 * to the file `output`. Returns the command's exit status, not 0 after a message. */
int history_write(const struct compare_request *requested, const char *output);

#endif
