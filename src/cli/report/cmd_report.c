#include "cli/report/cmd_report.h"

#include "check/check.h"
#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/times.h"
#include "cli/common/usage.h"
#include "cli/report/compare_runs.h"
#include "cli/report/history.h"
#include "cli/report/report_condition.h"
#include "cli/report/report_print.h"
#include "cli/report/scaling_runs.h"
#include "cli/report/what_if_print.h"
#include "report/ranks/read_ranks.h"

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
  bool is_json, is_brief, is_markdown, is_compare, is_scaling, is_weak, is_by_ranks;
  const char *html;                            /* the history page's name */
  const char *mpi;                             /* its library; NULL: to be found */
  FILE *out;                                   /* where a run's object goes that is compared */
  const char *fail_if[COMPARE_CONDITIONS_MAX]; /* as they were written */
  struct fail_condition conditions[COMPARE_CONDITIONS_MAX];
  size_t fail_if_count, condition_count;
  struct what_if_request what_if;
  uint64_t predict; /* threads; 0: none */
};

/* Long options that have no letter. */
enum {
  OPTION_JSON = 256,
  OPTION_BRIEF,
  OPTION_FROM,
  OPTION_TO,
  OPTION_REGION,
  OPTION_TOP,
  OPTION_COMPARE,
  OPTION_FAIL_IF,
  OPTION_HTML,
  OPTION_MARKDOWN,
  OPTION_SCALING,
  OPTION_WEAK,
  OPTION_WHAT_IF,
  OPTION_PREDICT,
  OPTION_MPI
};

static const struct usage_option options[] = {
    {OPTION_FROM, "from", "TIME", "begin there, since the trace's beginning: 1.5s, 200ms, 30us, 2min",
     USAGE_NOTHING, NULL},
    {OPTION_TO, "to", "TIME", "end there", USAGE_NOTHING, NULL},
    {OPTION_REGION, "region", "REGEX", "only regions whose name, function or FILE:LINE matches (extended)",
     USAGE_NOTHING, NULL},
    {OPTION_TOP, "top", "N", "rows of each table (default 10; 0: all)", USAGE_NOTHING, NULL},
    {OPTION_BRIEF, "brief", NULL, "the answer in at most 20 lines, for a mail or a log", USAGE_NOTHING, NULL},
    {OPTION_JSON, "json", NULL, "one JSON object, with everything, instead of text", USAGE_NOTHING, NULL},
    {OPTION_MARKDOWN, "markdown", NULL, "Markdown, for a pull request's comment or GITHUB_STEP_SUMMARY",
     USAGE_NOTHING, NULL},
    {OPTION_COMPARE, "compare", NULL, "what changed: OLD NEW, or OLD ... -- NEW ...", USAGE_NOTHING, NULL},
    {OPTION_SCALING, "scaling", NULL, "how runs with several numbers of threads scale, and what limits them",
     USAGE_NOTHING, NULL},
    {OPTION_WEAK, "weak", NULL, "with --scaling: the work grows with the threads", USAGE_NOTHING, NULL},
    {OPTION_PREDICT, "predict", "N", "with --scaling: the wall time with so many threads, by a law that fits",
     USAGE_NOTHING, NULL},
    {OPTION_WHAT_IF, "what-if", "CHANGE",
     "the wall time if: 'region @app.c:12 2x faster', 'serial part halved', 'balance @app.c:9', 'no lock "
     "@app.c:4'; up to 8 times; regions: a table of all",
     USAGE_NOTHING, NULL},
    {OPTION_FAIL_IF, "fail-if", "CONDITION",
     "exit status 3 if it holds: 'efficiency < 60 %', 'wall > 2 s', 'violations > 0'; with --compare what "
     "has grown: 'wall > 5 "
     "%', 'region:REGEX > 20 ms'; with --scaling 'efficiency at 8 < 70 %'",
     USAGE_NOTHING, NULL},
    {OPTION_MPI, "mpi", "LIBRARY",
     "below mpirun or srun: the ranks read the archive together, rank 0 prints; the MPI's library, if it is "
     "not found",
     USAGE_OPTIONAL, NULL},
    {OPTION_HTML, "html", "FILE", "a page of many runs by date: archives, or what --json has printed",
     USAGE_FILE, NULL},
    {0},
};

/* -- in the worker -- */

static bool has_requested(const struct report_print *print) {
  for (uint32_t i = 0; i < print->report->trace->region_count; i++)
    if (report_print_includes(print, i))
      return true;
  return print->only == NULL;
}

/* What is compared is reported in the unit of the condition: a share as percent, else seconds. */
static void print_condition(const struct report_request *request, const struct fail_condition *condition,
                            int holds, double value) {
  if (holds < 0)
    message_print("%s: %s: what it names is not in this run, or not known", request->path, condition->text);
  else if (condition->is_count)
    message_print("%s: condition met: %s (%.0f)", request->path, condition->text, value);
  else if (condition->is_percent)
    message_print("%s: condition met: %s (%.1f %%)", request->path, condition->text, 100 * value);
  else
    message_print("%s: condition met: %s (%g s)", request->path, condition->text, value);
}

static bool includes_check(const struct report_request *request) {
  for (size_t i = 0; i < request->condition_count; i++)
    if (report_condition_is_of_check(&request->conditions[i]))
      return true;
  return false;
}

/* What stave check finds in the same archive. What was not checked to its end has no numbers. */
static void add_check(json_t *object, struct trace *trace) {
  char error[TRACE_ERROR_BYTES];
  struct check_result result = {0};
  int failure = check_run(trace, CHECK_ALL_RULES, &result, error);
  if (failure == 0 && result.has_openmp && !result.is_partial) {
    json_put(object, "violations", json_from_number(result.of_severity[CHECK_VIOLATION]));
    json_put(object, "hazards", json_from_number(result.of_severity[CHECK_HAZARD]));
  }
  check_free(&result);
}

/* Of all regions, whatever --region shows. */
static int judge(const struct report_request *request, struct report_print print, struct trace *trace) {
  int status = EXIT_SUCCESS;
  print.only = NULL;
  json_t *object = report_print_object(&print);
  if (includes_check(request))
    add_check(object, trace);
  for (size_t i = 0; i < request->condition_count; i++) {
    double value = 0;
    int holds = report_condition_holds(&request->conditions[i], object, &value);
    if (holds != 0)
      print_condition(request, &request->conditions[i], holds, value);
    if (holds < 0)
      status = EXIT_FAILED;
    else if (holds > 0 && status == EXIT_SUCCESS)
      status = EXIT_FOUND;
  }
  json_decref(object);
  return status;
}

static int print(const struct report_request *request, const struct report *report,
                 const struct archive_job *job) {
  struct report_print print = {report, request->path, job->found->anchor, request->top,
                               request->pattern ? &request->only : NULL};
  if (!has_requested(&print)) {
    message_print("%s: no region's name, function or FILE:LINE matches %s (--region)", request->path,
                  request->pattern);
    return EXIT_FAILED;
  }
  if (request->out) {
    json_t *object = report_print_object(&print);
    int result = json_dumpf(object, request->out, 0) == 0 && fflush(request->out) == 0 ? 0 : EXIT_FAILED;
    if (result != 0)
      message_print("no room for the report of %s: %m", request->path);
    json_decref(object);
    return result;
  }
  if (request->is_json)
    report_print_json(&print);
  else if (request->is_brief)
    report_print_brief(&print);
  else if (request->is_markdown)
    report_print_markdown(&print);
  else
    report_print_text(&print);
  if (!message_output_is_complete())
    return EXIT_FAILED;
  return request->condition_count ? judge(request, print, job->trace) : EXIT_SUCCESS;
}

/* For those who look for the reason why a job of many ranks is not faster. */
static void note_ranks(const struct report_request *request, const struct report *report) {
  const char *verbose = getenv("STAVE_VERBOSE");
  if (!request->is_by_ranks || !verbose || strcmp(verbose, "0") == 0)
    return;
  if (report->replaying_ranks > 0)
    message_print("%s: %zu ranks have replayed their processes", request->path, report->replaying_ranks);
  else
    message_print("%s: rank 0 has replayed all processes, what the others have read", request->path);
}

static int read_and_print(void *data, const struct archive_job *job) {
  const struct report_request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct report report;
  uint64_t from, to;
  if (!archive_job_has_time(job, &request->times))
    return EXIT_FAILED;
  times_ticks(&request->times, job->trace, &from, &to);
  int result = report_read(&report, job->trace, from, to, error);
  archive_job_has_read(job);
  if (result == 0)
    note_ranks(request, &report);
  int status = result < 0 ? archive_job_failed(job, error) : print(request, &report, job);
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
  return usage_error("report", "--region %s is not a regular expression: %s", value, text);
}

static bool add_condition(struct report_request *request, const char *value) {
  if (request->fail_if_count == COMPARE_CONDITIONS_MAX)
    return usage_error("report", "--fail-if is given more than %d times", COMPARE_CONDITIONS_MAX);
  request->fail_if[request->fail_if_count++] = value;
  return true;
}

static bool add_what_if(struct what_if_request *request, const char *value) {
  if (request->count == WHAT_IF_TEXTS_MAX)
    return usage_error("report", "--what-if is given more than %d times", WHAT_IF_TEXTS_MAX);
  request->texts[request->count++] = value;
  return true;
}

/* What they mean depends on whether runs are compared. */
static bool read_conditions(struct report_request *request) {
  for (size_t i = 0; i < request->fail_if_count; i++) {
    const char *text = request->fail_if[i];
    struct fail_condition *condition = &request->conditions[i];
    if (request->is_compare ? !compare_condition_read(condition, text)
                            : !report_condition_read(condition, text))
      return condition->meant
                 ? usage_error("report", "--fail-if %s: unknown condition; did you mean %s?", text,
                               condition->meant)
                 : usage_error("report", "--fail-if %s: unknown condition; allowed: %s", text,
                               request->is_compare ? compare_condition_words : report_condition_words);
    request->condition_count = i + 1;
  }
  return true;
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
  case OPTION_FAIL_IF:
    return add_condition(request, value);
  case OPTION_COMPARE:
    request->is_compare = true;
    return true;
  case OPTION_PREDICT:
    return usage_number("report", "--predict", value, 1, 1000000, &request->predict);
  case OPTION_WHAT_IF:
    return add_what_if(&request->what_if, value);
  case OPTION_SCALING:
    request->is_scaling = true;
    return true;
  case OPTION_WEAK:
    request->is_weak = true;
    return true;
  case OPTION_HTML:
    request->html = value;
    return true;
  case OPTION_MPI:
    request->is_by_ranks = true;
    request->mpi = value;
    return true;
  case OPTION_BRIEF:
    request->is_brief = true;
    return true;
  case OPTION_MARKDOWN:
    request->is_markdown = true;
    return true;
  default:
    request->is_json = true;
    return true;
  }
}

const struct usage *cmd_report_usage(void) {
  static const struct usage usage = {
      .command = "report",
      .summary = "show where the time went and what to do about it",
      .synopsis = "[options] ARCHIVE | --compare [options] OLD ... [--] NEW ... | --html FILE RUN ...",
      .about = "Shows where the time of a traced run went and what would be most worth changing: efficiency, "
               "findings with the time they could save, parallel regions, loops, locks, waiting, tasks, the "
               "critical path, devices. stave-report(1) defines every figure. ARCHIVE is a directory or its "
               "file traces.otf2; archives of other tools can be read too. What is compared, or becomes a "
               "page, may also be a file with what --json has printed.",
      .status = "Exit status: 0; 1 if the archive cannot be read; 2 if an option is wrong; 3 if a condition "
                "of --fail-if holds.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .accepts_several = true,
      .set = set_option,
  };
  return &usage;
}

/* -- comparing -- */

/* struct compare_request's report. */
static int write_object(void *data, const char *path, FILE *out) {
  struct report_request *request = data;
  request->path = path;
  request->out = out;
  return archive_job_run(path, read_and_print, request);
}

/* getopt puts what is before "--" after it: how many are new has to be counted before. 0: no "--". */
static size_t count_after_dashes(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--") == 0)
      return (size_t)(argc - i - 1);
  return 0;
}

static enum compare_form compare_form(const struct report_request *request) {
  if (request->is_json)
    return COMPARE_AS_JSON;
  if (request->is_markdown)
    return COMPARE_AS_MARKDOWN;
  return request->is_brief ? COMPARE_AS_BRIEF : COMPARE_AS_TEXT;
}

static int compare_request(struct report_request *request, char **paths, size_t count, size_t new_count) {
  if (new_count == 0 && count == 2)
    new_count = 1;
  if (request->pattern)
    usage_error("report", "--compare goes without --region");
  else if (new_count == 0 || new_count >= count)
    usage_error("report", "--compare requires OLD NEW, or OLD ... -- NEW ...");
  else if (count > RANK_VALUES_MAX)
    usage_error("report", "--compare accepts %d runs at most", RANK_VALUES_MAX);
  else
    return compare_runs(&(struct compare_request){.paths = paths,
                                                  .old_count = count - new_count,
                                                  .count = count,
                                                  .conditions = request->conditions,
                                                  .condition_count = request->condition_count,
                                                  .form = compare_form(request),
                                                  .top = request->top,
                                                  .report = write_object,
                                                  .data = request});
  return EXIT_USAGE;
}

static int report_scaling(struct report_request *request, char **paths, size_t count) {
  struct compare_request runs = {.paths = paths,
                                 .count = count,
                                 .form = compare_form(request),
                                 .top = request->top,
                                 .report = write_object,
                                 .data = request};
  if (request->is_compare || request->is_brief || request->is_markdown || request->pattern)
    usage_error("report", "--scaling goes without --compare, --brief, --markdown and --region");
  else if (request->html && request->is_json)
    usage_error("report", "one of --html and --json");
  else if (count > RANK_VALUES_MAX)
    usage_error("report", "--scaling accepts %d runs at most", RANK_VALUES_MAX);
  else
    return scaling_runs(&(struct scaling_request){.runs = &runs,
                                                  .is_weak = request->is_weak,
                                                  .predict = request->predict,
                                                  .fail_if = request->fail_if,
                                                  .fail_if_count = request->fail_if_count,
                                                  .html = request->html});
  return EXIT_USAGE;
}

static int write_history(struct report_request *request, char **paths, size_t count) {
  if (!request->is_compare && !request->is_json && !request->is_brief && !request->is_markdown &&
      !request->pattern && request->fail_if_count == 0)
    return history_write(
        &(struct compare_request){.paths = paths, .count = count, .report = write_object, .data = request},
        request->html);
  usage_error("report", "--html goes without --compare, --json, --brief, --markdown, --region and --fail-if");
  return EXIT_USAGE;
}

static int check_single(const struct report_request *request, int count) {
  if ((request->is_weak || request->predict) && !request->is_scaling)
    usage_error("report", "--weak and --predict go with --scaling");
  else if (request->is_by_ranks && (request->is_compare || request->is_scaling || request->html))
    usage_error("report", "--mpi goes with one archive");
  else if (request->is_compare || request->is_scaling || request->html || count == 1)
    return -1;
  else
    usage_error("report", "one archive at a time");
  return EXIT_USAGE;
}

static int run(const struct report_request *request, const char *path, archive_job_work work, void *data) {
  static const struct archive_answers answers = {report_answers_make, report_answers_free, report_answer};
  return request->is_by_ranks ? archive_job_run_by_ranks(path, request->mpi, &answers, work, data)
                              : archive_job_run(path, work, data);
}

static int report_what_if(struct report_request *request, const char *path) {
  request->what_if.is_json = request->is_json;
  request->what_if.top = request->top;
  if (request->is_compare || request->is_scaling || request->html || request->is_brief ||
      request->is_markdown || request->pattern || request->fail_if_count)
    usage_error("report", "--what-if goes with --json alone");
  else if (what_if_check(&request->what_if))
    return run(request, path, what_if_is_table(&request->what_if) ? what_if_print_table : what_if_print,
               &request->what_if);
  return EXIT_USAGE;
}

int cmd_report(int argc, char **argv) {
  struct report_request request = {.times = TIMES_ALL, .top = TOP_DEFAULT};
  size_t after_dashes = count_after_dashes(argc, argv);
  int status = usage_read(cmd_report_usage(), argc, argv, &request);
  if (status < 0)
    status = check_single(&request, argc - optind);
  if (status < 0 && !request.is_scaling && !read_conditions(&request))
    status = EXIT_USAGE;
  if (status < 0 && request.is_json + request.is_brief + request.is_markdown > 1) {
    usage_error("report", "one of --brief, --json and --markdown");
    status = EXIT_USAGE;
  }
  if (status < 0 && !times_are_in_order("report", &request.times))
    status = EXIT_USAGE;
  if (status < 0 && request.what_if.count) {
    status = report_what_if(&request, argv[optind]);
  } else if (status < 0 && request.is_scaling) {
    status = report_scaling(&request, argv + optind, (size_t)(argc - optind));
  } else if (status < 0 && request.html) {
    status = write_history(&request, argv + optind, (size_t)(argc - optind));
  } else if (status < 0 && request.is_compare) {
    status = compare_request(&request, argv + optind, (size_t)(argc - optind), after_dashes);
  } else if (status < 0) {
    request.path = argv[optind];
    status = run(&request, request.path, read_and_print, &request);
  }
  for (size_t i = 0; i < request.condition_count; i++)
    fail_condition_free(&request.conditions[i]);
  if (request.pattern)
    regfree(&request.only);
  return status;
}
