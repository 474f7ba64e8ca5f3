#include "cli/cmd_report.h"

#include "cli/message.h"
#include "cli/reading.h"
#include "cli/report_print.h"
#include "cli/times.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_UNREADABLE = 1, EXIT_USAGE = 2, TOP_DEFAULT = 10 };

struct request {
  const char *path;
  struct times times;
  size_t top;
  const char *pattern;
  regex_t only;
  bool is_json;
};

/* Long options that have no letter. */
enum { OPTION_JSON = 256, OPTION_FROM, OPTION_TO, OPTION_REGION, OPTION_TOP };

static const struct option options[] = {
    {"from", required_argument, NULL, OPTION_FROM},
    {"to", required_argument, NULL, OPTION_TO},
    {"region", required_argument, NULL, OPTION_REGION},
    {"top", required_argument, NULL, OPTION_TOP},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void cmd_report_help(void) {
  printf("usage: stave report [options] ARCHIVE\n\n"
         "Says where the time of a traced run went and what would be most worth changing: efficiency, findings with\n"
         "the time they could save, parallel regions, loops, locks, waiting, tasks, the critical path, devices.\n"
         "stave-report(1) defines every figure. ARCHIVE is a directory or its file traces.otf2, of any writer.\n\n"
         "      --from TIME     begin there: 1.5s, 200ms, 30us, 5000ns, 2min since the trace's beginning\n"
         "      --to TIME       end there\n"
         "      --region REGEX  only regions whose name, function or FILE:LINE matches (extended)\n"
         "      --top N         rows of each table (default 10; 0: all)\n"
         "      --json          one JSON object, with everything, instead of text\n"
         "  -h, --help          this text\n\n"
         "Exit status: 0; 1 if the archive cannot be read; 2 if an option is wrong.\n");
}

/* -- in the worker -- */

static int print(const struct request *request, const struct report *report, const char *anchor) {
  struct report_print print = {report, request->path, anchor, request->top, request->pattern ? &request->only : NULL};
  if (!request->is_json)
    report_print_text(&print);
  else if (report_print_json(&print) < 0)
    return EXIT_UNREADABLE;
  return message_output_is_whole() ? EXIT_SUCCESS : EXIT_UNREADABLE;
}

static int read_and_print(void *data, const struct place *place, struct guard_progress *progress) {
  const struct request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct trace *trace;
  struct report report;
  uint64_t from, to;
  if (trace_open(place->anchor, &progress->done, &trace, error) < 0) {
    message_say("%s: %s", request->path, error);
    return EXIT_UNREADABLE;
  }
  reading_expect(trace, progress, 1);
  times_ticks(&request->times, trace, &from, &to);
  int status = EXIT_UNREADABLE;
  if (report_read(&report, trace, from, to, error) < 0)
    message_say("%s: %s", request->path, error);
  else
    status = print(request, &report, place->anchor);
  report_free(&report);
  trace_close(trace);
  return status;
}

/* -- around it -- */

static bool take_time(const char *option, uint64_t *ret_ns) {
  if (times_parse(optarg, ret_ns))
    return true;
  message_say("report: %s wants a time such as 1.5s or 200ms, not %s", option, optarg);
  return false;
}

static bool take_top(size_t *ret) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(optarg, &end, 10);
  if (errno == 0 && end != optarg && *end == '\0' && *optarg >= '0' && *optarg <= '9') {
    *ret = number ? number : SIZE_MAX;
    return true;
  }
  message_say("report: --top wants a number, not %s", optarg);
  return false;
}

static bool take_pattern(struct request *request) {
  char text[256];
  int error = regcomp(&request->only, optarg, REG_EXTENDED | REG_NOSUB);
  request->pattern = optarg;
  if (error == 0)
    return true;
  regerror(error, &request->only, text, sizeof text);
  message_say("report: --region %s is no regular expression: %s", optarg, text);
  return false;
}

static bool take_option(struct request *request, int option, char **argv) {
  switch (option) {
  case OPTION_FROM:
    return take_time("--from", &request->times.from_ns);
  case OPTION_TO:
    return take_time("--to", &request->times.to_ns);
  case OPTION_REGION:
    return take_pattern(request);
  case OPTION_TOP:
    return take_top(&request->top);
  case OPTION_JSON:
    request->is_json = true;
    return true;
  default:
    message_say("report: there is no option %s, or it wants a value; stave help report lists them", argv[optind - 1]);
    return false;
  }
}

static bool check(const struct request *request, int argc) {
  if (optind + 1 != argc)
    message_say("report: %s; stave help report says more", optind >= argc ? "no archive given" : "one archive at a time");
  else if (request->times.to_ns <= request->times.from_ns)
    message_say("report: --to has to be later than --from");
  else
    return true;
  return false;
}

int cmd_report(int argc, char **argv) {
  struct request request = {.times = TIMES_ALL, .top = TOP_DEFAULT};
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (option == 'h') {
      cmd_report_help();
      return EXIT_SUCCESS;
    }
    if (!take_option(&request, option, argv))
      return EXIT_USAGE;
  }
  if (!check(&request, argc))
    return EXIT_USAGE;
  request.path = argv[optind];
  int status = reading_run(request.path, read_and_print, &request, EXIT_UNREADABLE);
  if (request.pattern)
    regfree(&request.only);
  return status;
}
