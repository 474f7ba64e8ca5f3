#include "cli/record/going_on.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/writers.h"
#include "cli/record/orphans.h"
#include "session/clock.h"
#include "session/process_stat.h"
#include "trace/found_archive.h"

/* Ranks have as long as rank_archives.c gives them. A writer that starts reports its archive in the time of
 * START_MS. */
enum { GRACE_MS = 1000, RANKS_GRACE_MS = 10000, START_MS = 2000, LOOK_MS = 250 };

/* -- processes -- */

/* It is on its way to its end, or SIGKILL is: nobody can stop that. `fields` of process_stat. */
static bool is_thread_ending(const char *fields) {
  enum { FLAGS = 9, PENDING = 31, PF_EXITING = 0x4 };
  return !fields || *fields == 'Z' || *fields == 'X' ||
         (process_stat_number(fields, FLAGS) & PF_EXITING) != 0 ||
         (process_stat_number(fields, PENDING) & UINT64_C(1) << (SIGKILL - 1)) != 0;
}

/* Its first thread alone may have ended (pthread_exit in main): then that is a zombie, and the others go on.
 */
static bool is_process_ending(pid_t pid) {
  char path[64], text[PROCESS_STAT_BYTES];
  bool is_ending = true;
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *threads = opendir(path);
  for (struct dirent *entry; threads && is_ending && (entry = readdir(threads));)
    if (entry->d_name[0] != '.')
      is_ending = is_thread_ending(process_stat(pid, atoi(entry->d_name), text));
  if (threads)
    closedir(threads);
  return is_ending;
}

/* -- archives -- */

static bool is_settled(const struct archive_status *archive) {
  return archive->state != ARCHIVE_OPEN && (archive->state != ARCHIVE_KEPT || archive->is_over);
}

/* By what its writer has, since numbers of processes come again: a pidfd, where the kernel has those. */
static bool goes_on(const struct archive_status *archive) {
  if (is_settled(archive) || archive->is_ending || archive->writer <= 0 || !writer_lives(archive->writer))
    return false;
  pid_t traced = writer_traces(archive->writer);
  traced = traced == 0 ? archive->pid : traced;
  return traced > 0 && !is_process_ending(traced);
}

size_t going_on_mark(struct status *status) {
  size_t count = 0;
  for (size_t i = 0; i < status->count; i++) {
    struct archive_status *archive = &status->archives[i];
    archive->goes_on = goes_on(archive);
    if (archive->goes_on && !archive->program)
      archive->program = process_program_name(archive->pid);
    count += archive->goes_on;
  }
  return count;
}

/* Its process has ended, and its writer has not: perhaps in another namespace of processes. */
static bool is_being_written(const struct archive_status *archive) {
  struct found_archive found = {.state = FOUND_ABSENT};
  if (is_settled(archive) || archive->goes_on)
    return false;
  if (archive->path)
    find_archive(&found, archive->path);
  return found.state == FOUND_OPEN || writer_lives(archive->writer);
}

static bool is_one_awaited(const struct status *status) {
  for (size_t i = 0; i < status->count; i++)
    if (status->archives[i].is_awaited && is_being_written(&status->archives[i]))
      return true;
  return false;
}

/* -- the time since the program's end -- */

struct going_on going_on_begin(bool is_launcher) {
  int grace_ms = is_launcher ? RANKS_GRACE_MS : GRACE_MS;
  return (struct going_on){clock_ns(CLOCK_MONOTONIC), grace_ms, grace_ms};
}

int going_on_ms(const struct going_on *going_on) {
  return (int)((clock_ns(CLOCK_MONOTONIC) - going_on->begin_ns) / 1000000);
}

int going_on_pause_ms(const struct going_on *going_on) {
  int left = going_on->next_look_ms - going_on_ms(going_on);
  return left > 0 ? left : 0;
}

static bool is_first_look(const struct going_on *going_on) {
  return going_on->next_look_ms == going_on->grace_ms;
}

/* Without a bound, as some of a server's children always end, one would be waited for after the other. */
static void await_all(struct status *status) {
  for (size_t i = 0; i < status->count; i++)
    status->archives[i].is_awaited = true;
}

bool going_on_is_all(struct going_on *going_on, struct status *status, pid_t program) {
  int now_ms = going_on_ms(going_on);
  if (now_ms < going_on->next_look_ms)
    return false;
  if (is_first_look(going_on))
    await_all(status);
  going_on->next_look_ms = now_ms + LOOK_MS;
  orphans_reap(program);
  size_t count = going_on_mark(status);
  bool may_be_starting = now_ms < going_on->grace_ms + START_MS && orphans_count_writers() > count;
  return count > 0 && !may_be_starting && !is_one_awaited(status);
}
