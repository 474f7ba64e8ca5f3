#include "cli/merge/cmd_merge.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plural.h"
#include "cli/common/message.h"
#include "cli/common/summary.h"
#include "cli/merge/members.h"
#include "cli/merge/unite.h"
#include "cli/recover/recover_process.h"
#include "trace/found_archive.h"

struct cmd_request {
  const char *out;
  enum merge_files files;
  uint64_t wait_s;
};

/* Long options that have no letter. */
enum { OPTION_COPY = 256, OPTION_WAIT, OPTION_NO_WAIT };

enum { WAIT_S = 60, WAIT_MAX_S = 86400 };

static const char out_default[] = "stave-merged";

static const struct usage_option options[] = {
    {'o', "output", "OUT",
     "where the new archive goes; default: into the directory of the job, of other archives stave-merged",
     USAGE_DIRECTORY, NULL},
    {OPTION_COPY, "copy", NULL, "copy the event files, in place of giving them second names (hard links)",
     USAGE_NOTHING, NULL},
    {OPTION_WAIT, "wait", "SECONDS",
     "how long to wait, in all, until archives that are still being written are closed; default: 60",
     USAGE_NOTHING, NULL},
    {OPTION_NO_WAIT, "no-wait", NULL, "do not wait for them", USAGE_NOTHING, NULL},
    {0},
};

static bool set_option(void *data, int option, const char *value) {
  struct cmd_request *request = data;
  if (option == 'o' && *value == '\0')
    return usage_error("merge", "the name of the new archive is empty");
  if (option == 'o')
    request->out = value;
  if (option == OPTION_COPY)
    request->files = MERGE_COPIES;
  if (option == OPTION_WAIT)
    return usage_number("merge", "--wait", value, 0, WAIT_MAX_S, &request->wait_s);
  if (option == OPTION_NO_WAIT)
    request->wait_s = 0;
  return true;
}

static void print_result(const char *out, const struct merge_result *result) {
  char name[PATH_MAX], processes[32], threads[32], events[32];
  printf("%s: %s process%s, %s thread%s, %s event%s\n", message_escape(name, sizeof name, out),
         summary_number(processes, result->processes), result->processes == 1 ? "" : "es",
         summary_number(threads, result->locations), plural(result->locations),
         summary_number(events, result->events), plural(result->events));
  if (result->missing)
    printf("missing: rank%s %s\n", plural(result->missing), result->missing_ranks);
  if (result->clocks > 1)
    printf("%zu clocks, which may be wrong against each other by %.3g s%s\n", result->clocks,
           result->deviation_s,
           result->is_by_calendar ? ": some could only be compared by the time of day" : "");
}

static bool add_all(struct members *members, char **paths, int count) {
  bool is_over = true;
  for (int i = 0; i < count; i++)
    is_over &= members_add(members, paths[i]);
  if (is_over && members->anchors.count + members->skipped == 0)
    message_print("there is no archive to merge");
  return is_over && members->anchors.count > 0;
}

static void trim(char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/')
    path[--length] = '\0';
}

static int merge_archives(const struct cmd_request *request, char **paths, int count) {
  struct members members = {.wait_ms = request->wait_s * 1000};
  struct merge_result result;
  bool is_job = !request->out && count == 1 && found_is_job(paths[0]);
  char *out = memory_text(request->out ? request->out : is_job ? paths[0] : out_default);
  bool is_done = false;
  trim(out);
  if (add_all(&members, paths, count))
    is_done = unite(&(struct unite_request){.anchors = members.anchors.items,
                                            .count = members.anchors.count,
                                            .out = out,
                                            .is_job = is_job,
                                            .files = request->files},
                    &result);
  if (is_done)
    print_result(out, &result);
  is_done = is_done && message_output_is_complete();
  members_clear(&members);
  free(out);
  return is_done ? EXIT_SUCCESS : EXIT_FAILED;
}

const struct usage *cmd_merge_usage(void) {
  static const struct usage usage = {
      .command = "merge",
      .summary = "make one archive of those of several processes",
      .synopsis = "[options] DIRECTORY ...",
      .about = "Makes one archive, with one time, of the archives of several processes: the ranks of an MPI "
               "job, whose directory holds them in rank/0, rank/1 and so on, or any that are named. No event "
               "is read or written: event files get second names. An archive whose stave-writer died is "
               "recovered first, one that is still being written is waited for. Reports which ranks are "
               "missing, and how far clocks of different machines may "
               "be apart.",
      .status = "Exit status: 0; 1 if there is nothing to merge or it cannot be merged; 2 if an option is "
                "wrong.",
      .options = options,
      .argument = "directory",
      .argument_kind = USAGE_DIRECTORY,
      .accepts_several = true,
      .set = set_option,
  };
  return &usage;
}

int cmd_merge(int argc, char **argv) {
  struct cmd_request request = {.wait_s = WAIT_S};
  int status = usage_read(cmd_merge_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  return merge_archives(&request, argv + optind, argc - optind);
}
