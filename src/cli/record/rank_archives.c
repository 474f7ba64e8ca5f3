#include "cli/record/rank_archives.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plural.h"
#include "cli/common/message.h"
#include "cli/common/summary.h"
#include "cli/merge/members.h"
#include "cli/merge/unite.h"
#include "session/launcher.h"
#include "trace/found_archive.h"

/* For as long as this nothing has happened to the other ranks' archives: they do not come. */
enum { PATIENCE_MS = 10000, LOOK_MS = 20, NUMBER_BYTES = 32 };

bool job_leaves_it_to_rank_0(void) {
  return launcher_has_many() && launcher_rank() > 0;
}

/* The directory of the job; false if this is not the archive of a rank in one. */
static bool find_job(const char *archive, char job[PATH_MAX]) {
  snprintf(job, PATH_MAX, "%s", archive);
  char *number = strrchr(job, '/');
  if (!number || !isdigit((unsigned char)number[1]) || number[1 + strspn(number + 1, "0123456789")] != '\0')
    return false;
  *number = '\0';
  char *ranks = strrchr(job, '/');
  if (!ranks || strcmp(ranks, "/rank") != 0)
    return false;
  *ranks = '\0';
  return *job != '\0';
}

/* -- waiting -- */

static size_t count_over(const char *job, int size) {
  size_t count = 0;
  for (int rank = 0; rank < size; rank++) {
    char path[PATH_MAX + 32];
    struct found_archive found;
    snprintf(path, sizeof path, "%s/rank/%d", job, rank);
    find_archive(&found, path);
    count += found.state == FOUND_CLOSED || found.state == FOUND_UNFINISHED;
  }
  return count;
}

static void wait_for_others(const char *job, bool (*is_stopped)(void *data), void *data) {
  int size = launcher_size();
  size_t over = 0;
  for (int quiet_ms = 0; size > 0 && quiet_ms < PATIENCE_MS && !is_stopped(data); quiet_ms += LOOK_MS) {
    size_t now = count_over(job, size);
    if (now == (size_t)size)
      return;
    quiet_ms = now > over ? 0 : quiet_ms;
    over = now;
    usleep(LOOK_MS * 1000);
  }
}

/* -- merging -- */

static void mark_reported(struct status *status, const char *job) {
  char its_job[PATH_MAX];
  for (size_t i = 0; i < status->count; i++) {
    struct archive_status *archive = &status->archives[i];
    bool is_its = archive->path && find_job(archive->path, its_job) && strcmp(its_job, job) == 0;
    archive->is_reported |= is_its && archive->state == ARCHIVE_CLOSED;
  }
}

static void print_job(const char *job, const struct merge_result *result) {
  char ranks[NUMBER_BYTES], threads[NUMBER_BYTES], events[NUMBER_BYTES], word[PATH_MAX];
  message_print("%s: %s rank%s, %s thread%s, %s events%s%s%s: stave timeline %s shows them", job,
                summary_number(ranks, result->processes), plural(result->processes),
                summary_number(threads, result->locations), plural(result->locations),
                summary_number(events, result->events), result->missing ? "; missing: rank" : "",
                result->missing > 1 ? "s "
                : result->missing   ? " "
                                    : "",
                result->missing_ranks, message_path_word(word, sizeof word, job));
}

static void merge_one(struct status *status, const char *job, bool is_quiet) {
  struct members members = {0};
  struct merge_result result;
  if (members_add(&members, job) && members.anchors.count > 0 &&
      unite(
          &(struct unite_request){
              .anchors = members.anchors.items, .count = members.anchors.count, .out = job, .is_job = true},
          &result)) {
    mark_reported(status, job);
    if (!is_quiet || result.missing)
      print_job(summary_relative_path(job), &result);
  }
  members_clear(&members);
}

static bool goes_on(const struct status *status, const char *job) {
  char its_job[PATH_MAX];
  for (size_t i = 0; i < status->count; i++) {
    const struct archive_status *archive = &status->archives[i];
    if (archive->goes_on && archive->path && find_job(archive->path, its_job) && strcmp(its_job, job) == 0)
      return true;
  }
  return false;
}

static void print_not_merged(const char *job) {
  char word[PATH_MAX];
  job = summary_relative_path(job);
  message_print("%s: not merged, as ranks of it go on: stave merge %s does it when they have ended", job,
                message_path_word(word, sizeof word, job));
}

void job_merge(struct status *status, bool is_quiet, bool (*is_stopped)(void *data), void *data) {
  struct string_list jobs = {0};
  char job[PATH_MAX];
  for (size_t i = 0; i < status->count; i++)
    if (status->archives[i].path && find_job(status->archives[i].path, job) && string_list_add(&jobs, job)) {
      if (launcher_has_many())
        wait_for_others(job, is_stopped, data);
      if (!goes_on(status, job))
        merge_one(status, job, is_quiet);
      else if (!is_quiet)
        print_not_merged(job);
    }
  string_list_clear(&jobs);
}
