#include "cli/recover/cmd_recover.h"

#include "base/plural.h"
#include "cli/common/archive_job.h"
#include "cli/common/folder.h"
#include "cli/common/message.h"
#include "cli/common/summary.h"
#include "cli/common/usage.h"
#include "cli/recover/recover_process.h"
#include "trace/found_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1 /* which musl's headers lack, as the call */
#endif

enum { NAME_BYTES = 256 };

struct recover_request {
  const char *output_argument; /* what -o names; NULL: beside the directory */
  struct found_archive found;
  char out[PATH_MAX];
  char partial[PATH_MAX]; /* what it is called until it is complete */
};

static const struct usage_option options[] = {
    {'o', "output", "OUT", "where the new archive goes; default DIRECTORY-recovered", USAGE_DIRECTORY, NULL},
    {0},
};

/* -- directories -- */

static bool name_output(struct recover_request *request) {
  int length = request->output_argument
                   ? snprintf(request->out, sizeof request->out, "%s", request->output_argument)
                   : snprintf(request->out, sizeof request->out, "%s-recovered", request->found.directory);
  while (length > 1 && (size_t)length < sizeof request->out && request->out[length - 1] == '/')
    request->out[--length] = '\0';
  int partial =
      snprintf(request->partial, sizeof request->partial, "%.*s.partial", PATH_MAX - 16, request->out);
  return (length > 0 && length < partial && (size_t)partial < sizeof request->partial) ||
         usage_error("recover", "the name of the new archive is empty or too long");
}

static bool make_partial(const struct recover_request *request) {
  struct stat status;
  if (lstat(request->out, &status) == 0) {
    message_print("%s is there already; -o names another directory", request->out);
    return false;
  }
  if (mkdir(request->partial, 0777) == 0)
    return true;
  if (errno == EEXIST)
    message_print("%s is there: another stave recover is at work, or one was interrupted; then remove it",
                  request->partial);
  else
    message_print("cannot make %s: %m (-o names another directory)", request->partial);
  return false;
}

/* Nothing is overwritten, whatever has come to be there meanwhile. */
static bool give_name(const struct recover_request *request) {
  if (syscall(SYS_renameat2, AT_FDCWD, request->partial, AT_FDCWD, request->out, RENAME_NOREPLACE) == 0)
    return true;
  struct stat status;
  bool can_not = errno == EINVAL || errno == ENOSYS;
  if (can_not && lstat(request->out, &status) < 0 && rename(request->partial, request->out) == 0)
    return true;
  message_print("the archive is complete, but cannot be renamed from %s to %s: %m", request->partial,
                request->out);
  return false;
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
  bool is_all =
      process->missing == 0 && process->refused == 0 && process->unknown == 0 && !process->is_journal_cut;
  printf("%s is as it was%s\n", message_escape(name, sizeof name, request->found.directory),
         is_all ? "; nothing needs it any more" : "");
}

static void print_failure(const struct recover_request *request, const struct recover_process *process,
                          int error) {
  const char *directory = request->found.directory;
  if (error == -ETIME)
    message_print("%s: its events are damaged: OTF2's reader made no progress with them", directory);
  else if (error == -EIO)
    message_print("%s: its events are damaged: OTF2's reader died on them", directory);
  else if (error == -ENOENT)
    message_print("stave-recover is not there: Stave is not installed completely");
  else if (error < 0)
    message_print("%s: %s", directory, strerror(-error));
  else
    message_print("%s: %s", directory, process->failure);
}

static int recover(const struct recover_request *request) {
  struct recover_process process;
  recover_process_catch_signals();
  if (!make_partial(request))
    return EXIT_FAILED;
  int error = recover_process_run(&process, request->found.directory, request->partial, false);
  bool is_done = error == 0 && process.is_done;
  if (!is_done && error != -EINTR)
    print_failure(request, &process, error);
  if (!is_done)
    folder_remove(request->partial);
  is_done = is_done && give_name(request);
  if (!is_done)
    recover_process_end_by_signal();
  if (is_done)
    print_result(request, &process);
  recover_process_clear(&process);
  return is_done ? EXIT_SUCCESS : EXIT_FAILED;
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
