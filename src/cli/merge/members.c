#include "cli/merge/members.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "cli/common/summary.h"
#include "cli/recover/recover_archive.h"
#include "trace/found_archive.h"

static bool join(char target[PATH_MAX], const char *directory, const char *name) {
  return (size_t)snprintf(target, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

/* -- one archive -- */

static bool is_closed(const char *path, struct found_archive *found) {
  find_archive(found, path);
  return found->state == FOUND_CLOSED;
}

static bool run_recovery(const char *directory, const char *out) {
  struct recover_process process;
  char duration[32];
  if (!recover_archive(directory, out, &process)) {
    message_print("%s is left out: it cannot be recovered", directory);
    return false;
  }
  for (size_t i = 0; i < process.notes.count; i++)
    message_print("%s: %s", directory, process.notes.items[i]);
  if (!process.has_all)
    message_print("%s is complete up to %s; of later events it has those that stave-writer had read", out,
                  summary_duration(duration, process.whole_ns));
  recover_process_clear(&process);
  return true;
}

/* An earlier recovery serves as well. */
static bool add_recovered(struct members *members, const struct found_archive *unfinished) {
  char out[PATH_MAX];
  struct found_archive found;
  snprintf(out, sizeof out, "%.*s-recovered", PATH_MAX - 16, unfinished->directory);
  if (!is_closed(out, &found)) {
    if (!run_recovery(unfinished->directory, out) || !is_closed(out, &found))
      return false;
    members->recovered++;
  }
  return string_list_add(&members->anchors, found.anchor);
}

/* A job's command is over some moments before its archives are closed. */
static void wait_until_closed(struct members *members, const char *path, struct found_archive *found) {
  enum { NAP_MS = 20 };
  for (uint64_t waited_ms = 0; found->state == FOUND_OPEN && members->wait_ms > 0; waited_ms += NAP_MS) {
    if (waited_ms >= PROGRESS_QUIET_MS)
      progress_show("waiting until %s is closed, %u s at most (--no-wait: do not wait)", path,
                    (unsigned)(members->wait_ms / 1000));
    usleep(NAP_MS * 1000);
    members->wait_ms -= members->wait_ms < NAP_MS ? members->wait_ms : NAP_MS;
    find_archive(found, path);
    if (found->state != FOUND_OPEN && waited_ms >= PROGRESS_QUIET_MS)
      progress_clear();
  }
}

/* Returns false if it is still being written, or is damaged: it must not be left out unnoticed. */
static bool add_archive(struct members *members, const char *path) {
  struct found_archive found;
  find_archive(&found, path);
  wait_until_closed(members, path, &found);
  bool is_added = found.state == FOUND_CLOSED && string_list_add(&members->anchors, found.anchor);
  if (found.state == FOUND_UNFINISHED && found.is_recoverable)
    is_added = add_recovered(members, &found);
  else if (!is_added)
    archive_job_explain(path, &found);
  members->skipped += !is_added;
  return found.state != FOUND_OPEN && found.state != FOUND_BROKEN;
}

/* -- a job -- */

static bool is_number(const char *name) {
  for (const char *c = name; *c; c++)
    if (!isdigit((unsigned char)*c))
      return false;
  return *name != '\0';
}

static bool add_job(struct members *members, const char *path) {
  char ranks[PATH_MAX], rank[PATH_MAX];
  if (!join(ranks, path, "rank"))
    return false;
  DIR *directory = opendir(ranks);
  bool is_over = true;
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    if (is_number(entry->d_name) && join(rank, ranks, entry->d_name))
      is_over &= add_archive(members, rank);
  if (directory)
    closedir(directory);
  else
    message_print("%s: %m", ranks);
  return is_over;
}

bool members_add(struct members *members, const char *path) {
  return found_is_job(path) ? add_job(members, path) : add_archive(members, path);
}

void members_clear(struct members *members) {
  string_list_clear(&members->anchors);
}
