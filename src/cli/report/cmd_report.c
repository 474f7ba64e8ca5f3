#include "cli/report/cmd_report.h"

#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/times.h"
#include "cli/common/usage.h"
#include "cli/report/report_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_DEFAULT = 10 };

struct report_request {
  const char *path;
  struct times times;
  size_t top;
  const char *pattern;
  regex_t only;
  bool is_json, is_brief;
};

/* Long options that have no letter. */
enum { OPTION_JSON = 256, OPTION_BRIEF, OPTION_FROM, OPTION_TO, OPTION_REGION, OPTION_TOP };

static const struct usage_option options[] = {
    {OPTION_FROM, "from", "TIME", "begin there, since the trace's beginning: 1.5s, 200ms, 30us, 2min",
     USAGE_NOTHING, NULL},
    {OPTION_TO, "to", "TIME", "end there", USAGE_NOTHING, NULL},
    {OPTION_REGION, "region", "REGEX", "only regions whose name, function or FILE:LINE matches (extended)",
     USAGE_NOTHING, NULL},
    {OPTION_TOP, "top", "N", "rows of each table (default 10; 0: all)", USAGE_NOTHING, NULL},
    {OPTION_BRIEF, "brief", NULL, "the answer in at most 20 lines, for a mail or a log", USAGE_NOTHING, NULL},
    {OPTION_JSON, "json", NULL, "one JSON object, with everything, instead of text", USAGE_NOTHING, NULL},
    {0},
};

/* -- in the worker -- */

static int print(const struct report_request *request, const struct report *report, const char *anchor) {
  struct report_print print = {report, request->path, anchor, request->top,
                               request->pattern ? &request->only : NULL};
  if (request->is_json)
    report_print_json(&print);
  else if (request->is_brief)
    report_print_brief(&print);
  else
    report_print_text(&print);
  return message_output_is_whole() ? EXIT_SUCCESS : EXIT_UNDONE;
}

static int read_and_print(void *data, const struct archive_job *job) {
  const struct report_request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct report report;
  uint64_t from, to;
  if (!archive_job_has_time(job, &request->times))
    return EXIT_UNDONE;
  times_ticks(&request->times, job->trace, &from, &to);
  int result = report_read(&report, job->trace, from, to, error);
  archive_job_has_read(job);
  int status = result < 0 ? archive_job_failed(job, error) : print(request, &report, job->place->anchor);
  report_free(&report);
  return status;
}

/* -- around it -- */

static bool read_top(const char *value, size_t *ret) {
  uint64_t number;
  if (!usage_number("report", "--top", value, 0, UINT64_MAX, &number))
    return false;
  *ret = number ? number : SIZE_MAX;
  return true;
}

/* The last of several holds. */
static bool read_pattern(struct report_request *request, const char *value) {
  char text[256];
  if (request->pattern)
    regfree(&request->only);
  int error = regcomp(&request->only, value, REG_EXTENDED | REG_NOSUB);
  request->pattern = error == 0 ? value : NULL;
  if (error == 0)
    return true;
  regerror(error, &request->only, text, sizeof text);
  return usage_wrong("report", "--region %s is no regular expression: %s", value, text);
}

static bool set_option(void *data, int option, const char *value) {
  struct report_request *request = data;
  switch (option) {
  case OPTION_FROM:
    return times_read("report", "--from", value, &request->times.from_ns);
  case OPTION_TO:
    return times_read("report", "--to", value, &request->times.to_ns);
  case OPTION_REGION:
    return read_pattern(request, value);
  case OPTION_TOP:
    return read_top(value, &request->top);
  case OPTION_BRIEF:
    request->is_brief = true;
    return true;
  default:
    request->is_json = true;
    return true;
  }
}

const struct usage *cmd_report_usage(void) {
  static const struct usage usage = {
      .command = "report",
      .summary = "say where the time went and what to do about it",
      .synopsis = "[options] ARCHIVE",
      .about = "Says where the time of a traced run went and what would be most worth changing: efficiency, "
               "findings with "
               "the time they could save, parallel regions, loops, locks, waiting, tasks, the critical path, "
               "devices. "
               "stave-report(1) defines every figure. ARCHIVE is a directory or its file traces.otf2; "
               "archives of other "
               "tools can be read too.",
      .status = "Exit status: 0; 1 if the archive cannot be read; 2 if an option is wrong.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .set = set_option,
  };
  return &usage;
}

int cmd_report(int argc, char **argv) {
  struct report_request request = {.times = TIMES_ALL, .top = TOP_DEFAULT};
  int status = usage_read(cmd_report_usage(), argc, argv, &request);
  if (status < 0 && request.is_json && request.is_brief) {
    usage_wrong("report", "--brief is for text, not for --json");
    status = EXIT_USAGE;
  }
  if (status < 0 && !times_are_in_order("report", &request.times))
    status = EXIT_USAGE;
  if (status < 0) {
    request.path = argv[optind];
    status = archive_job_run(request.path, read_and_print, &request);
  }
  if (request.pattern)
    regfree(&request.only);
  return status;
}
