#include "cli/recover/cmd_recover.h"

#include "base/plural.h"
#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/summary.h"
#include "cli/common/usage.h"
#include "cli/recover/recover_archive.h"
#include "trace/found_archive.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 256 };

struct recover_request {
  const char *output_argument; /* what -o names; NULL: beside the directory */
  struct found_archive found;
  char out[PATH_MAX];
};

static const struct usage_option options[] = {
    {'o', "output", "OUT", "where the new archive goes; default DIRECTORY-recovered", USAGE_DIRECTORY, NULL},
    {0},
};

static bool name_output(struct recover_request *request) {
  int length = request->output_argument
                   ? snprintf(request->out, sizeof request->out, "%s", request->output_argument)
                   : snprintf(request->out, sizeof request->out, "%s-recovered", request->found.directory);
  while (length > 1 && (size_t)length < sizeof request->out && request->out[length - 1] == '/')
    request->out[--length] = '\0';
  return (length > 0 && length < PATH_MAX - 16) ||
         usage_error("recover", "the name of the new archive is empty or too long");
}

/* -- what came of it -- */

static void print_missing(const struct recover_process *process) {
  char missing[NAME_BYTES], duration[NAME_BYTES], name[NAME_BYTES];
  for (size_t i = 0; i < process->location_count; i++) {
    const struct recover_location *location = &process->locations[i];
    if (location->missing > 0)
      printf("  %s: %s events are missing after %s\n",
             message_escape(name, sizeof name, location->name ? location->name : ""),
             summary_number(missing, location->missing), summary_duration(duration, location->last_ns));
  }
}

static void print_notes(const struct recover_process *process) {
  char line[2 * PATH_MAX];
  for (size_t i = 0; i < process->notes.count; i++)
    puts(message_escape(line, sizeof line, process->notes.items[i]));
}

static void print_result(const struct recover_request *request, const struct recover_process *process) {
  char name[PATH_MAX], events[32], number[32], duration[32];
  printf("%s: %s event%s of %zu thread%s\n", message_escape(name, sizeof name, request->out),
         summary_number(events, process->events), plural(process->events), process->location_count,
         plural(process->location_count));
  if (process->has_all)
    printf("complete up to its end, %s: all events are there whose callback had returned\n",
           summary_duration(duration, process->last_ns));
  else
    printf("complete up to %s: all events are there whose callback had returned by then; of later ones, "
           "those that stave-writer had read\n",
           summary_duration(duration, process->whole_ns));
  if (process->added > 0)
    printf("%s events were added at the end, %s, for what was open\n", summary_number(number, process->added),
           summary_duration(duration, process->last_ns));
  if (process->lost > 0)
    printf("%s events had been dropped by the program's threads\n", summary_number(number, process->lost));
  if (process->missing > 0)
    printf("%s events that had been written did not reach the disk:\n",
           summary_number(number, process->missing));
  print_missing(process);
  if (process->is_journal_cut || process->unknown > 0)
    printf("the definitions are not complete: %s references of events lead to \"unknown\"\n",
           summary_number(number, process->unknown));
  if (process->refused > 0)
    printf("%s event%s could not be read\n", summary_number(number, process->refused),
           plural(process->refused));
  if (process->shortfall > 0)
    printf("stave-writer could not keep everything: %s\n", strerror((int)process->shortfall));
  print_notes(process);
  bool is_all = process->notes.count == 0 && process->missing == 0 && process->refused == 0 &&
                process->unknown == 0 && !process->is_journal_cut;
  printf("%s is as it was%s\n", message_escape(name, sizeof name, request->found.directory),
         is_all ? "; nothing needs it any more" : "");
}

static int recover(const struct recover_request *request) {
  struct recover_process process;
  if (!recover_archive(request->found.directory, request->out, &process))
    return EXIT_FAILED;
  print_result(request, &process);
  recover_process_clear(&process);
  return EXIT_SUCCESS;
}

static bool is_recoverable(const char *path, const struct found_archive *found) {
  if (found->state == FOUND_CLOSED)
    message_print("%s: closed: there is nothing to recover", path);
  else if (found->state == FOUND_UNFINISHED && !found->is_recoverable)
    message_print("%s: not closed, and its file %s is not there: nothing can be recovered", path,
                  "traces.recovery");
  else if (found->state != FOUND_UNFINISHED)
    archive_job_explain(path, found);
  return found->state == FOUND_UNFINISHED && found->is_recoverable;
}

static bool set_option(void *request, int option, const char *value) {
  (void)option;
  ((struct recover_request *)request)->output_argument = value;
  return true;
}

const struct usage *cmd_recover_usage(void) {
  static const struct usage usage = {
      .command = "recover",
      .summary = "make an archive after program and writer were killed",
      .synopsis = "[options] DIRECTORY",
      .about = "Makes an archive of what is in DIRECTORY, whose stave-writer died together with the program "
               "(a node that failed, a job killed with its control group). DIRECTORY stays as it is. "
               "Reports up to which time the new archive is complete, and what is known to be missing.",
      .status = "Exit status: 0; 1 if there is nothing to recover or it cannot be recovered; 2 if an option "
                "is wrong.",
      .options = options,
      .argument = "directory",
      .argument_kind = USAGE_DIRECTORY,
      .set = set_option,
  };
  return &usage;
}

int cmd_recover(int argc, char **argv) {
  struct recover_request request = {0};
  int status = usage_read(cmd_recover_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  find_archive(&request.found, argv[optind]);
  if (!is_recoverable(argv[optind], &request.found))
    return EXIT_FAILED;
  return name_output(&request) ? recover(&request) : EXIT_USAGE;
}
