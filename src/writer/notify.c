#include "writer/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/futex.h"

/* The program waits for the first, and for nothing after the second: its state is reported before the
 * line. */
enum { PATIENCE_MS = 1000, NO_PATIENCE_MS = 0, NO_TIMEOUT = -1 };

/* Anything else is somebody's file, and nothing is written there. */
static int open_fifo(const char *path) {
  struct stat status;
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)))
    return fd;
  close(fd);
  return -1;
}

void notify_open(struct notifier *report, struct session_header *session) {
  const char *path = session->constants.config.status;
  *report = (struct notifier){session, -1, session->constants.pid};
  if (*path)
    report->status_fd = open_fifo(path);
}

/* `stave record` reads immediately, but while it is stopped its pipe may become full. poll reports that there
 * is room where an entire line fits; a signal ends the waiting, as does the reader's going. */
static void write_line(int fd, const char *line, size_t length, int patience_ms) {
  struct pollfd pipe = {.fd = fd, .events = POLLOUT};
  while (write(fd, line, length) < 0 && errno == EAGAIN && poll(&pipe, 1, patience_ms) > 0) {
  }
}

/* One write below PIPE_BUF, so that lines of several writers never mix. */
static void send_line(struct notifier *report, const char *word, const char *rest, int patience_ms) {
  char line[PIPE_BUF];
  if (report->status_fd < 0)
    return;
  int n = snprintf(line, sizeof line - 1, "%s %d/%d %s", word, report->pid, (int)getpid(), rest);
  size_t length = n < 0 ? 0 : (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;
  for (size_t i = 0; i < length; i++)
    if (line[i] == '\n')
      line[i] = ' ';
  line[length] = '\n';
  write_line(report->status_fd, line, length + 1, patience_ms);
}

static void set_state(struct notifier *report, enum writer_state state) {
  atomic_store(&report->session->shared.writer_state, state);
  futex_wake_all(&report->session->shared.writer_state);
}

void notify_notice(struct notifier *report, const char *notice) {
  struct session_shared *shared = &report->session->shared;
  snprintf(shared->message, sizeof shared->message, "%s", notice);
}

void notify_ready(struct notifier *report, const char *archive, const char *notice) {
  struct session_shared *shared = &report->session->shared;
  snprintf(shared->archive, sizeof shared->archive, "%s", archive);
  notify_notice(report, notice);
  send_line(report, "archive", archive, PATIENCE_MS);
  set_state(report, WRITER_READY);
}

void notify_kept(struct notifier *report, const char *notice) {
  notify_notice(report, notice);
  send_line(report, "kept", "", PATIENCE_MS);
  set_state(report, WRITER_READY);
}

void notify_dumped(struct notifier *report, const char *archive, const char *figures) {
  send_line(report, "archive", archive, PATIENCE_MS);
  send_line(report, "closed", figures, PATIENCE_MS);
}

void notify_not_dumped(struct notifier *report, const char *why) {
  notify_notice(report, why);
  send_line(report, "undumped", why, PATIENCE_MS);
}

void notify_removed(struct notifier *report, const char *archive) {
  send_line(report, "removed", archive, PATIENCE_MS);
}

void notify_withdrawn(struct notifier *report) {
  send_line(report, "withdrawn", "", NO_TIMEOUT);
}

void notify_over(struct notifier *report, const char *ending) {
  struct session_shared *shared = &report->session->shared;
  memcpy(shared->archive, shared->dumped, sizeof shared->archive);
  set_state(report, WRITER_CLOSED);
  send_line(report, "over", ending, NO_TIMEOUT);
}

void notify_failed(struct notifier *report, const char *format, ...) {
  struct session_shared *shared = &report->session->shared;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(shared->message, sizeof shared->message, format, arguments);
  va_end(arguments);
  set_state(report, WRITER_FAILED);
  send_line(report, "failed", shared->message, NO_TIMEOUT);
}

bool notify_renamed(struct notifier *report, const char *requested) {
  send_line(report, "renamed", requested, PATIENCE_MS);
  return report->status_fd >= 0;
}

void notify_stopped(struct notifier *report, const char *why) {
  send_line(report, "stopped", why, PATIENCE_MS);
}

void notify_ending(struct notifier *report) {
  send_line(report, "ending", "", NO_PATIENCE_MS);
}

void notify_closed(struct notifier *report, const char *figures, const char *notice) {
  notify_notice(report, notice);
  set_state(report, WRITER_CLOSED);
  send_line(report, "closed", figures, NO_TIMEOUT);
}
