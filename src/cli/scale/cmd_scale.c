#include "cli/scale/cmd_scale.h"

#include "base/memory.h"
#include "base/plural.h"
#include "cli/common/message.h"
#include "cli/report/cmd_report.h"
#include "cli/scale/scale_child.h"
#include "cli/scale/scale_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REPEAT_DEFAULT = 3, PASSED_MAX = 48 };

struct scale_request {
  struct scale_numbers threads, ranks;
  uint64_t repeat;
  const char *folder;
  struct scale_command command;
  const char *passed[PASSED_MAX]; /* options of stave report */
  size_t passed_count;
  bool is_quiet;
};

/* Long options that have no letter. */
enum {
  OPTION_THREADS = 256,
  OPTION_RANKS,
  OPTION_LAUNCHER,
  OPTION_REPEAT,
  OPTION_COUNTERS,
  OPTION_WEAK,
  OPTION_TOP,
  OPTION_JSON,
  OPTION_HTML,
  OPTION_FAIL_IF,
  OPTION_PREDICT
};

static const struct usage_option options[] = {
    {OPTION_THREADS, "threads", "LIST",
     "numbers of threads, 1,2,4 (OMP_NUM_THREADS); default: 1, 2, 4 ... and all processors", USAGE_NOTHING,
     NULL},
    {OPTION_RANKS, "ranks", "LIST", "numbers of MPI ranks, each with each number of threads", USAGE_NOTHING,
     NULL},
    {OPTION_LAUNCHER, "launcher", "WORDS", "what starts them, without their number; default 'mpirun -n'",
     USAGE_NOTHING, NULL},
    {OPTION_REPEAT, "repeat", "N", "runs of each, by turns (default 3)", USAGE_NOTHING, NULL},
    {'o', "output", "DIR", "where the archives go, which must not be there; default stave-scale-PROGRAM",
     USAGE_DIRECTORY, NULL},
    {OPTION_COUNTERS, "counters", "LIST", "as stave record's: instructions,cycles divide the computation",
     USAGE_NOTHING, NULL},
    {OPTION_WEAK, "weak", NULL, "the work grows with the threads", USAGE_NOTHING, NULL},
    {OPTION_TOP, "top", "N", "rows of each table (default 10; 0: all)", USAGE_NOTHING, NULL},
    {OPTION_JSON, "json", NULL, "one JSON object instead of text", USAGE_NOTHING, NULL},
    {OPTION_HTML, "html", "FILE", "a page instead of text", USAGE_FILE, NULL},
    {OPTION_PREDICT, "predict", "N", "the wall time with so many threads, by a law that fits", USAGE_NOTHING,
     NULL},
    {OPTION_FAIL_IF, "fail-if", "CONDITION", "exit status 3 if it holds: 'efficiency at 8 < 70 %'",
     USAGE_NOTHING, NULL},
    {'q', "quiet", NULL, "no line for each run", USAGE_NOTHING, NULL},
    {0},
};

static bool read_numbers(struct scale_numbers *ret, const char *option, const char *value) {
  return scale_numbers_read(ret, value) ||
         usage_error("scale", "%s requires numbers from 1 on, as in 1,2,4, %d at most, not %s", option,
                     SCALE_NUMBERS_MAX, value);
}

static bool pass(struct scale_request *request, const char *option, const char *value) {
  if (request->passed_count + 2 > PASSED_MAX)
    return usage_error("scale", "too many options");
  request->passed[request->passed_count++] = option;
  if (value)
    request->passed[request->passed_count++] = value;
  return true;
}

static bool set_text(const char **ret, const char *value) {
  *ret = value;
  return true;
}

static bool set_option(void *data, int option, const char *value) {
  struct scale_request *request = data;
  switch (option) {
  case OPTION_THREADS:
    return read_numbers(&request->threads, "--threads", value);
  case OPTION_RANKS:
    return read_numbers(&request->ranks, "--ranks", value);
  case OPTION_LAUNCHER:
    return set_text(&request->command.launcher, value);
  case OPTION_REPEAT:
    return usage_number("scale", "--repeat", value, 1, SCALE_REPEAT_MAX, &request->repeat);
  case 'o':
    return set_text(&request->folder, value);
  case OPTION_COUNTERS:
    return set_text(&request->command.counters, value);
  case OPTION_WEAK:
    return pass(request, "--weak", NULL);
  case OPTION_TOP:
    return pass(request, "--top", value);
  case OPTION_JSON:
    return pass(request, "--json", NULL);
  case OPTION_HTML:
    return pass(request, "--html", value);
  case OPTION_PREDICT:
    return pass(request, "--predict", value);
  case OPTION_FAIL_IF:
    return pass(request, "--fail-if", value);
  default:
    request->is_quiet = true;
    return true;
  }
}

const struct usage *cmd_scale_usage(void) {
  static const struct usage usage = {
      .command = "scale",
      .summary = "run a program with several numbers of threads and show how it scales",
      .synopsis = "[options] [--] PROGRAM [ARGUMENT ...]",
      .about = "Traces the program with each number of threads, several times by turns, and shows how its "
               "wall time "
               "follows that number, which factors of the efficiency fall, which regions stop scaling from "
               "how many "
               "threads on, and what laws predict for more. stave report --scaling shows the same of "
               "archives that "
               "are there. What the program prints is in files beside the archives.",
      .status = "Exit status: 0; 1 if a run fails or cannot be traced; 2 if an option is wrong; 3 if a "
                "condition of "
                "--fail-if holds.",
      .options = options,
      .argument = "program",
      .argument_kind = USAGE_PROGRAM,
      .accepts_more = true,
      .set = set_option,
  };
  return &usage;
}

/* Reports why not. */
static bool make_folder(const char *folder) {
  if (mkdir(folder, 0777) == 0)
    return true;
  if (errno == EEXIST)
    message_print("%s is there already: name another directory with -o", folder);
  else
    message_print("%s cannot be made: %s", folder, strerror(errno));
  return false;
}

static char *default_folder(const char *program) {
  const char *slash = strrchr(program, '/');
  return memory_print("stave-scale-%s", slash ? slash + 1 : program);
}

static int run_all(const struct scale_request *request, const struct scale_plan *plan) {
  int status = EXIT_SUCCESS;
  for (size_t i = 0; i < plan->count && status == EXIT_SUCCESS; i++) {
    const struct scale_run *run = &plan->runs[i];
    if (!request->is_quiet && run->ranks)
      message_print("run %zu of %zu: %zu rank%s of %zu thread%s", i + 1, plan->count, run->ranks,
                    plural(run->ranks), run->threads, plural(run->threads));
    else if (!request->is_quiet)
      message_print("run %zu of %zu: %zu thread%s", i + 1, plan->count, run->threads, plural(run->threads));
    status = scale_child_run(&request->command, run);
  }
  return status;
}

/* As who has the archives already would call it. */
static int report(const struct scale_request *request, const struct scale_plan *plan) {
  char *words[PASSED_MAX + SCALE_RUNS_MAX + 4];
  int count = 0;
  words[count++] = (char *)"report";
  words[count++] = (char *)"--scaling";
  for (size_t i = 0; i < request->passed_count; i++)
    words[count++] = (char *)request->passed[i];
  words[count++] = (char *)"--";
  for (size_t i = 0; i < plan->count; i++)
    words[count++] = plan->runs[i].archive;
  words[count] = NULL;
  optind = 0; /* getopt begins anew */
  return cmd_report(count, words);
}

static int scale(struct scale_request *request) {
  struct scale_plan plan;
  if (!scale_plan_make(&plan, &request->threads, &request->ranks, request->repeat, request->folder)) {
    usage_error("scale", "more than %d runs", SCALE_RUNS_MAX);
    return EXIT_USAGE;
  }
  int status = make_folder(request->folder) ? run_all(request, &plan) : EXIT_FAILED;
  if (status == EXIT_SUCCESS)
    status = report(request, &plan);
  scale_plan_free(&plan);
  return status;
}

int cmd_scale(int argc, char **argv) {
  struct scale_request request = {.repeat = REPEAT_DEFAULT, .command.launcher = "mpirun -n"};
  scale_numbers_default(&request.threads);
  int status = usage_read(cmd_scale_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  char *folder = request.folder ? NULL : default_folder(argv[optind]);
  request.folder = folder ? folder : request.folder;
  request.command.program = argv + optind;
  status = scale(&request);
  free(folder);
  return status;
}
