#include "cli/info/cmd_info.h"

#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/info/info.h"
#include "cli/info/info_ranks.h"
#include "cli/info/info_support.h"
#include "cli/programs/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct info_request {
  const char *path;
  bool is_json, is_all, is_support, is_anonymous;
};

/* Long options that have no letter. */
enum { OPTION_JSON = 256, OPTION_SUPPORT, OPTION_ANONYMOUS };

static const struct usage_option options[] = {
    {'a', "all", NULL, "list every thread; otherwise the 32 with the most events", USAGE_NOTHING, NULL},
    {OPTION_JSON, "json", NULL, "one JSON object instead of text", USAGE_NOTHING, NULL},
    {OPTION_SUPPORT, "support", NULL,
     "what a report of a fault needs: versions, limits, runtimes, settings; with ARCHIVE also what it holds",
     USAGE_NOTHING, NULL},
    {OPTION_ANONYMOUS, "anonymous", NULL, "replace the names of user, host and folders", USAGE_NOTHING, NULL},
    {0},
};

/* A program that was built anew shows nothing of the one that ran. */
static bool is_unchanged(const char *program, const struct trace *trace) {
  struct stat status;
  if (stat(program, &status) < 0 || trace->clock.realtime_ns == UINT64_MAX)
    return false;
  uint64_t changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
  return changed_ns <= trace->clock.realtime_ns;
}

static void add_figures(struct info *info) {
  const struct trace *trace = info->trace;
  uint64_t stall_ticks = 0;
  for (size_t i = 0; i < trace->location_count; i++) {
    info->stalls += info->tally.locations[i].stalls;
    stall_ticks += info->tally.locations[i].stall_ticks;
  }
  info->stall_ns = trace_span_ns(trace, stall_ticks);
  info->duration_ns = trace_span_ns(trace, trace->clock.length_ticks);
  identify_runtime(&info->runtime, trace);
  const char *program = info_property(info, "PROGRAM");
  if (program && is_unchanged(program, trace))
    compiler_find(program, info->compiler, sizeof info->compiler);
}

static int print(const struct info_request *request, const struct info *info) {
  if (!request->is_json)
    info_print_text(info);
  else
    info_print_json(info);
  return message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED;
}

static int read_and_print(void *data, const struct archive_job *job) {
  const struct info_request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct info info = {
      .path = request->path, .found = *job->found, .trace = job->trace, .is_all = request->is_all};
  int status;
  if (tally_read(&info.tally, info.trace, error) < 0) {
    status = archive_job_failed(job, error);
  } else {
    add_figures(&info);
    archive_job_has_read(job);
    status = print(request, &info);
  }
  tally_free(&info.tally);
  return status;
}

static bool set_option(void *data, int option, const char *value) {
  struct info_request *request = data;
  (void)value;
  request->is_all |= option == 'a';
  request->is_json |= option == OPTION_JSON;
  request->is_support |= option == OPTION_SUPPORT;
  request->is_anonymous |= option == OPTION_ANONYMOUS;
  return true;
}

const struct usage *cmd_info_usage(void) {
  static const struct usage usage = {
      .command = "info",
      .summary = "show what an archive holds and how it was recorded",
      .synopsis = "[options] ARCHIVE | --support [ARCHIVE]",
      .about = "Shows what an OTF2 archive holds and how it was recorded: program, host, runtime, threads, "
               "events and their bytes, what was lost. ARCHIVE is its directory or its file traces.otf2; "
               "archives of other tools can be read too.",
      .status = "Exit status: 0; 1 if the archive cannot be read or is not closed; 2 if an option is wrong.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .is_optional = true,
      .set = set_option,
  };
  return &usage;
}

static int print_archive(struct info_request *request) {
  struct found_archive found;
  find_archive(&found, request->path);
  if (found.state == FOUND_NO_ARCHIVE && found_is_job(request->path) && !request->is_json)
    info_ranks(request->path); /* the message below is that there is no archive, and what to do */
  return archive_job_run(request->path, read_and_print, request);
}

static int print_support(struct info_request *request) {
  int kept = request->is_anonymous ? info_begin_anonymous() : -1, status = EXIT_SUCCESS;
  if (request->is_anonymous && kept < 0)
    return EXIT_FAILED;
  info_print_support();
  if (request->path) {
    putchar('\n');
    status = message_output_is_complete() ? print_archive(request) : EXIT_FAILED;
  }
  if (request->is_anonymous)
    info_end_anonymous(kept);
  return status;
}

int cmd_info(int argc, char **argv) {
  struct info_request request = {0};
  int status = usage_read(cmd_info_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  request.path = argv[optind];
  if (request.is_support && request.is_json)
    usage_error("info", "--support is text: no --json");
  else if (!request.path && !request.is_support)
    usage_error("info", "no archive given");
  else if (request.is_anonymous && !request.is_support)
    usage_error("info", "--anonymous is for --support");
  else
    return request.is_support ? print_support(&request) : print_archive(&request);
  return EXIT_USAGE;
}
