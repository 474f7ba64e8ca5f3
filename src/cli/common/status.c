#include "cli/common/status.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int status_open(struct status *ret, const char *path) {
  *ret = (struct status){.read_fd = -1, .write_fd = -1};
  if (mkfifo(path, 0600) != 0)
    return -errno;
  ret->read_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (ret->read_fd >= 0)
    ret->write_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  return ret->write_fd >= 0 ? 0 : -errno;
}

/* Who a line is about: "PID" or "PID/WRITER". */
struct teller {
  pid_t pid, writer;
};

static struct teller read_teller(const char *number) {
  char *end;
  struct teller ret = {.pid = (pid_t)strtol(number, &end, 10)};
  ret.writer = *end == '/' ? (pid_t)strtol(end + 1, NULL, 10) : 0;
  return ret;
}

static bool is_of(const struct archive_status *archive, struct teller teller) {
  return archive->pid == teller.pid && archive->writer == teller.writer;
}

/* The newest entry, since process numbers come again; NULL if there is none. */
static struct archive_status *find_open(struct status *status, struct teller teller) {
  for (size_t i = status->count; i-- > 0;)
    if (is_of(&status->archives[i], teller))
      return status->archives[i].state == ARCHIVE_OPEN ? &status->archives[i] : NULL;
  return NULL;
}

static struct archive_status *add(struct status *status, struct teller teller) {
  if (!array_try_reserve(&status->archives, &status->capacity, status->count + 1, sizeof *status->archives))
    return NULL;
  struct archive_status *archive = &status->archives[status->count++];
  *archive = (struct archive_status){.pid = teller.pid, .writer = teller.writer};
  return archive;
}

/* What this process keeps; NULL: everything is written. */
static struct archive_status *find_kept(struct status *status, struct teller teller) {
  for (size_t i = status->count; i-- > 0;)
    if (is_of(&status->archives[i], teller) && status->archives[i].state == ARCHIVE_KEPT)
      return &status->archives[i];
  return NULL;
}

static struct archive_status *find_unsettled(struct status *status, struct teller teller) {
  struct archive_status *archive = find_open(status, teller);
  return archive ? archive : find_kept(status, teller);
}

static struct archive_status *find_or_add(struct status *status, struct teller teller) {
  struct archive_status *archive = find_open(status, teller);
  return archive ? archive : add(status, teller);
}

static void set_text(char **slot, const char *text) {
  free(*slot);
  *slot = strdup(text);
}

static void read_figures(struct archive_status *archive, char *rest) {
  const struct line_slot slots[] = {{"threads", &archive->threads},
                                    {"events", &archive->events},
                                    {"records", &archive->records},
                                    {"lost", &archive->lost},
                                    {"bytes", &archive->bytes},
                                    {"regions", &archive->regions},
                                    {"duration_ns", &archive->duration_ns},
                                    {"added", &archive->added}};
  const char *ending = lines_read_pairs(rest, slots, sizeof slots / sizeof *slots, "ending");
  if (ending)
    set_text(&archive->text, ending);
}

static void free_texts(struct archive_status *archive) {
  free(archive->path);
  free(archive->text);
  free(archive->stopped);
  free(archive->program);
}

static void forget(struct status *status, size_t index) {
  struct archive_status *archive = &status->archives[index];
  free_texts(archive);
  memmove(archive, archive + 1, (--status->count - index) * sizeof *archive);
}

/* Others are needed more: nobody needs to know of it. */
static void forget_removed(struct status *status, const char *path) {
  for (size_t i = status->count; i-- > 0;)
    if (status->archives[i].path && strcmp(status->archives[i].path, path) == 0)
      forget(status, i);
}

/* The program has printed why it is not traced. */
static void forget_newest(struct status *status, struct teller teller) {
  for (size_t i = status->count; i-- > 0;)
    if (is_of(&status->archives[i], teller)) {
      forget(status, i);
      return;
    }
}

/* Of writers that keep records (STAVE_KEEP), and of what is gone. */
static void other_line(struct status *status, const char *verb, struct teller teller, const char *rest) {
  struct archive_status *archive;
  if (strcmp(verb, "kept") == 0 && (archive = add(status, teller))) {
    archive->state = ARCHIVE_KEPT;
  } else if (strcmp(verb, "over") == 0 && (archive = find_kept(status, teller))) {
    archive->is_over = true;
    set_text(&archive->text, rest);
  } else if (strcmp(verb, "undumped") == 0 && (archive = add(status, teller))) {
    archive->state = ARCHIVE_UNDUMPED;
    set_text(&archive->text, rest);
  } else if (strcmp(verb, "removed") == 0) {
    forget_removed(status, rest);
  } else if (strcmp(verb, "withdrawn") == 0) {
    forget_newest(status, teller);
  }
}

/* Adds one line (without its newline), which is changed. */
static void status_line(struct status *status, char *line) {
  char *verb = strsep(&line, " ");
  char *number = line ? strsep(&line, " ") : NULL;
  struct teller teller = read_teller(number ? number : "");
  char *rest = line ? line : (char[]){""};
  struct archive_status *archive;
  if (teller.pid <= 0)
    return;
  if (strcmp(verb, "moved") == 0 || strcmp(verb, "stayed") == 0)
    string_list_add(*verb == 'm' ? &status->moved : &status->stayed, rest);
  if (strcmp(verb, "renamed") == 0)
    string_list_add(&status->renamed, rest);
  if (strcmp(verb, "archive") == 0 && (archive = add(status, teller))) {
    set_text(&archive->path, rest);
  } else if (strcmp(verb, "stopped") == 0 && (archive = find_or_add(status, teller))) {
    set_text(&archive->stopped, rest);
  } else if (strcmp(verb, "ending") == 0 && (archive = find_unsettled(status, teller))) {
    archive->is_ending = true;
  } else if (strcmp(verb, "closed") == 0 && (archive = find_or_add(status, teller))) {
    archive->state = ARCHIVE_CLOSED;
    read_figures(archive, rest);
  } else if (strcmp(verb, "failed") == 0 && (archive = find_or_add(status, teller))) {
    archive->state = ARCHIVE_FAILED;
    set_text(&archive->text, rest);
  }
  other_line(status, verb, teller, rest);
}

static void read_line(void *status, char *line) {
  status_line(status, line);
}

void status_read(struct status *status) {
  char bytes[4096];
  ssize_t length;
  while ((length = read(status->read_fd, bytes, sizeof bytes)) > 0)
    lines_read(&status->lines, bytes, (size_t)length, read_line, status);
  if (length == 0)
    status->at_end = true;
}

void status_expect_end(struct status *status) {
  if (status->write_fd >= 0)
    close(status->write_fd);
  status->write_fd = -1;
  status_read(status);
}

void status_close(struct status *status) {
  if (status->read_fd >= 0)
    close(status->read_fd);
  if (status->write_fd >= 0)
    close(status->write_fd);
  for (size_t i = 0; i < status->count; i++)
    free_texts(&status->archives[i]);
  free(status->archives);
  string_list_clear(&status->moved);
  string_list_clear(&status->stayed);
  string_list_clear(&status->renamed);
  *status = (struct status){.read_fd = -1, .write_fd = -1};
}
