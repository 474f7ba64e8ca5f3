#include "cli/common/summary.h"

#include "base/plural.h"
#include "cli/common/message.h"
#include "cli/common/writers.h"
#include "trace/found_archive.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED_MAX = 10, NUMBER_BYTES = 32 };

char *summary_number(char *buffer, uint64_t number) {
  char digits[NUMBER_BYTES];
  int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    if (i > 0 && (count - i) % 3 == 0)
      buffer[used++] = ',';
    buffer[used++] = digits[i];
  }
  buffer[used] = '\0';
  return buffer;
}

char *summary_duration(char *buffer, uint64_t duration_ns) {
  static const char *const units[] = {"ns", "us", "ms"};
  double value = (double)duration_ns;
  int unit = 0;
  while (unit < 3 && value >= 1000) {
    value /= 1000;
    unit++;
  }
  const char *name = unit < 3 ? units[unit] : "s";
  snprintf(buffer, NUMBER_BYTES, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, name);
  return buffer;
}

char *summary_size(char *buffer, uint64_t bytes) {
  static const char units[] = "kMGTP";
  double value = (double)bytes;
  int unit = -1;
  while (value >= 999.5 && unit < (int)sizeof units - 2) {
    value /= 1000;
    unit++;
  }
  if (unit < 0)
    snprintf(buffer, NUMBER_BYTES, "%" PRIu64 " B", bytes);
  else
    snprintf(buffer, NUMBER_BYTES, "%.*f %cB", value >= 100 ? 0 : 1, value, units[unit]);
  return buffer;
}

const char *summary_relative_path(const char *path) {
  char here[PATH_MAX];
  size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
  bool inside =
      length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' && path[length + 1] != '\0';
  return inside ? path + length + 1 : path;
}

static const char *path_of(const struct archive_status *archive) {
  return archive->path ? summary_relative_path(archive->path) : "(place unknown)";
}

/* What the writer calls the end of a runtime that finalized its tool (OMPT's finalize). */
static bool is_normal_ending(const char *text) {
  return !text || *text == '\0' || strcmp(text, "finalized") == 0;
}

static void print_closed(const struct archive_status *archive) {
  char threads[NUMBER_BYTES], events[NUMBER_BYTES], duration[NUMBER_BYTES];
  bool normal = is_normal_ending(archive->text);
  message_print("%s: %s thread%s, %s event%s in %s%s%s", path_of(archive),
                summary_number(threads, archive->threads), plural(archive->threads),
                summary_number(events, archive->events), plural(archive->events),
                summary_duration(duration, archive->duration_ns),
                normal ? "" : "; ended: ", normal ? "" : archive->text);
}

static void print_lost(const struct archive_status *archive) {
  char lost[NUMBER_BYTES];
  if (archive->stopped)
    message_print("%s: recording was stopped (%s): %s events are missing", path_of(archive), archive->stopped,
                  summary_number(lost, archive->lost));
  else if (archive->lost > 0)
    message_print(
        "%s: %s events were lost; the archive records where: use larger buffers (-b) or --overflow block",
        path_of(archive), summary_number(lost, archive->lost));
}

/* Its last step may have been done. */
static bool is_closed_on_disk(const struct archive_status *archive) {
  struct found_archive found;
  if (!archive->path)
    return false;
  find_archive(&found, archive->path);
  return found.state == FOUND_CLOSED;
}

static void print_going_on(const struct archive_status *archive) {
  char word[PATH_MAX];
  message_print(
      "%s: process %d (%s) goes on: its archive is closed when it ends; stave watch %s shows it until then",
      path_of(archive), (int)archive->pid, archive->program ? archive->program : "?",
      message_path_word(word, sizeof word, path_of(archive)));
}

/* Another process's writer may hold the FIFO open. */
static bool has_lost_writer(const struct archive_status *archive) {
  struct found_archive found;
  if (archive->writer <= 0 || !archive->path || writer_lives(archive->writer))
    return false;
  find_archive(&found, archive->path);
  return found.state != FOUND_OPEN;
}

static void print_unclosed(const struct archive_status *archive, bool are_writers_gone) {
  char word[PATH_MAX];
  bool writer_is_gone = are_writers_gone || has_lost_writer(archive);
  if (writer_is_gone && is_closed_on_disk(archive))
    message_print("%s: closed; its stave-writer (for process %d) died before it reported how much is in it",
                  path_of(archive), (int)archive->pid);
  else if (writer_is_gone)
    message_print("%s: not closed, its stave-writer (for process %d) died: stave recover %s makes an archive "
                  "of what is "
                  "there",
                  path_of(archive), (int)archive->pid,
                  message_path_word(word, sizeof word, path_of(archive)));
  else
    message_print("%s: still being written; wait until the stave-writer for process %d has ended",
                  path_of(archive), (int)archive->pid);
}

static void print_failed(const struct archive_status *archive) {
  char word[PATH_MAX];
  const char *why = archive->text ? archive->text : "no reason known";
  if (!archive->path)
    message_print("process %d was not traced: %s", (int)archive->pid, why);
  else
    message_print("%s: not closed: %s: stave recover %s makes an archive of what is there", path_of(archive),
                  why, message_path_word(word, sizeof word, path_of(archive)));
}

static bool has_archive(const struct status *status, pid_t pid) {
  for (size_t i = 0; i < status->count; i++)
    if (status->archives[i].pid == pid && status->archives[i].state != ARCHIVE_KEPT)
      return true;
  return false;
}

static void print_kept_going_on(const struct archive_status *kept) {
  message_print("process %d (%s) goes on: stave dump %d writes what is kept (STAVE_KEEP)", (int)kept->pid,
                kept->program ? kept->program : "?", (int)kept->pid);
}

/* STAVE_KEEP: what has no archive. */
static void print_kept(const struct status *status, const struct archive_status *kept, bool quiet) {
  bool is_writer_gone = status->at_end || (kept->writer > 0 && !writer_lives(kept->writer));
  if (kept->goes_on && !quiet)
    print_kept_going_on(kept);
  if (kept->goes_on)
    return;
  if (!kept->is_over && is_writer_gone)
    message_print("process %d: its stave-writer died, and with it what was kept (STAVE_KEEP)",
                  (int)kept->pid);
  else if (!kept->is_over)
    message_print("process %d: its stave-writer has not ended yet", (int)kept->pid);
  else if (!quiet && !has_archive(status, kept->pid))
    message_print("process %d: nothing was written, as the program ended well and nothing else requested it "
                  "(STAVE_KEEP)",
                  (int)kept->pid);
}

static void print_archive(const struct archive_status *archive, bool writer_is_gone, bool quiet) {
  switch (archive->state) {
  case ARCHIVE_OPEN:
    if (!archive->goes_on)
      print_unclosed(archive, writer_is_gone);
    else if (!quiet)
      print_going_on(archive);
    return;
  case ARCHIVE_FAILED:
    print_failed(archive);
    return;
  case ARCHIVE_CLOSED:
    if (!quiet)
      print_closed(archive);
    print_lost(archive);
    return;
  case ARCHIVE_UNDUMPED:
    message_print("process %d: what was kept could not be written: %s", (int)archive->pid,
                  archive->text ? archive->text : "no reason known");
    return;
  case ARCHIVE_KEPT:
    return;
  }
}

static void print_next(const struct archive_status *archive) {
  char word[2 * PATH_MAX];
  message_path_word(word, sizeof word, path_of(archive));
  message_print("findings: stave report %s", word);
  message_print("timeline: stave timeline %s", word);
}

/* Of "PROGRAM: TEXT" both parts; neither is to be trusted. */
static const char *split(const char *line, char program[PATH_MAX]) {
  const char *colon = strstr(line, ": ");
  snprintf(program, PATH_MAX, "%.*s", colon ? (int)(colon - line) : (int)strlen(line), line);
  return colon ? colon + 2 : "";
}

void summary_print_runtimes(const struct status *status, bool quiet) {
  char program[PATH_MAX], more[NUMBER_BYTES + 32] = "";
  for (size_t i = 0; i < status->stayed.count && i < LISTED_MAX; i++) {
    const char *why = split(status->stayed.items[i], program);
    message_print("%s used gcc's OpenMP runtime, untraced: %s (without --runtime it is traced on its own)",
                  summary_relative_path(program), why);
  }
  if (status->moved.count == 0 || quiet)
    return;
  const char *runtime = split(status->moved.items[0], program);
  if (status->moved.count > 1)
    snprintf(more, sizeof more, " and %zu more", status->moved.count - 1);
  message_print("%s%s ran on LLVM's OpenMP runtime (%s) in place of gcc's, which alone can change its times "
                "(--runtime)",
                summary_relative_path(program), more, runtime);
}

static const struct archive_status *first_closed(const struct status *status) {
  for (size_t i = 0; i < status->count; i++)
    if (status->archives[i].state == ARCHIVE_CLOSED && status->archives[i].path &&
        !status->archives[i].is_reported)
      return &status->archives[i];
  return NULL;
}

static void print_renamed(const struct status *status) {
  for (size_t i = 0; i < status->renamed.count && i < LISTED_MAX; i++)
    message_print("%s exists: the trace goes to a folder with a number after that name",
                  summary_relative_path(status->renamed.items[i]));
}

/* What went wrong is first, then the longest run. */
static int compare_runs(const void *left, const void *right) {
  const struct archive_status *a = *(const struct archive_status *const *)left;
  const struct archive_status *b = *(const struct archive_status *const *)right;
  bool is_a_closed = a->state == ARCHIVE_CLOSED, is_b_closed = b->state == ARCHIVE_CLOSED;
  if (is_a_closed != is_b_closed)
    return is_a_closed - is_b_closed;
  if (is_a_closed && a->duration_ns != b->duration_ns)
    return a->duration_ns < b->duration_ns ? 1 : -1;
  return (a > b) - (a < b);
}

/* As they came, but where they are too many to be listed. The caller frees it; NULL: no memory. */
static const struct archive_status **in_order(const struct status *status) {
  const struct archive_status **order = calloc(status->count + 1, sizeof *order);
  for (size_t i = 0; order && i < status->count; i++)
    order[i] = &status->archives[i];
  if (order && status->count > LISTED_MAX)
    qsort(order, status->count, sizeof *order, compare_runs);
  return order;
}

static void print_more(size_t more, size_t empty) {
  if (more > 0)
    message_print("and %zu more", more);
  if (empty > 0)
    message_print("and %zu without an event", empty);
}

static void print_archives(const struct status *status, bool quiet) {
  size_t listed = 0, more = 0, empty = 0;
  const struct archive_status **order = in_order(status);
  for (size_t i = 0; i < status->count; i++) {
    const struct archive_status *archive = order ? order[i] : &status->archives[i];
    bool is_empty = archive->state == ARCHIVE_CLOSED && archive->events == 0 && archive->lost == 0;
    if (archive->is_reported)
      print_lost(archive);
    else if (archive->state == ARCHIVE_KEPT)
      print_kept(status, archive, quiet);
    else if (is_empty && status->count > LISTED_MAX)
      empty++;
    else if (listed++ < LISTED_MAX)
      print_archive(archive, status->at_end, quiet);
    else
      more++;
  }
  print_more(more, empty);
  free(order);
}

void summary_print(const struct status *status, bool quiet) {
  if (!quiet)
    print_renamed(status);
  print_archives(status, quiet);
  const struct archive_status *closed = first_closed(status);
  if (closed && !quiet)
    print_next(closed);
}
