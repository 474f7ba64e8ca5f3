#include "writer/report.h"

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

/* The program waits for the first, and for nothing behind the second: its state is told before the line. */
enum { PATIENCE_MS = 1000, AS_LONG_AS_IT_TAKES = -1 };

/* Anything else is somebody's file, and nothing is written there. */
static int open_fifo(const char *path) {
  struct stat status;
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)))
    return fd;
  close(fd);
  return -1;
}

void report_open(struct reporter *report, struct session_header *session) {
  const char *path = session->constants.config.status;
  *report = (struct reporter){session, -1, session->constants.pid};
  if (*path)
    report->status_fd = open_fifo(path);
}

/* `stave record` reads at once, but while it is stopped its pipe may become full. poll says that there is
 * room where a whole line fits; a signal ends the waiting, as does the reader's going. */
static void write_line(int fd, const char *line, size_t length, int patience_ms) {
  struct pollfd pipe = {.fd = fd, .events = POLLOUT};
  while (write(fd, line, length) < 0 && errno == EAGAIN && poll(&pipe, 1, patience_ms) > 0) {
  }
}

/* One write below PIPE_BUF, so that lines of several writers never mix. */
static void send_line(struct reporter *report, const char *word, const char *rest, int patience_ms) {
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

static void set_state(struct reporter *report, enum writer_state state) {
  atomic_store(&report->session->shared.writer_state, state);
  futex_wake_all(&report->session->shared.writer_state);
}

void report_notice(struct reporter *report, const char *notice) {
  struct session_shared *shared = &report->session->shared;
  snprintf(shared->message, sizeof shared->message, "%s", notice);
}

void report_ready(struct reporter *report, const char *archive, const char *notice) {
  struct session_shared *shared = &report->session->shared;
  snprintf(shared->archive, sizeof shared->archive, "%s", archive);
  report_notice(report, notice);
  send_line(report, "archive", archive, PATIENCE_MS);
  set_state(report, WRITER_READY);
}

void report_kept(struct reporter *report, const char *notice) {
  report_notice(report, notice);
  send_line(report, "kept", "", PATIENCE_MS);
  set_state(report, WRITER_READY);
}

void report_dumped(struct reporter *report, const char *archive, const char *figures) {
  send_line(report, "archive", archive, PATIENCE_MS);
  send_line(report, "closed", figures, PATIENCE_MS);
}

void report_not_dumped(struct reporter *report, const char *why) {
  report_notice(report, why);
  send_line(report, "undumped", why, PATIENCE_MS);
}

void report_removed(struct reporter *report, const char *archive) {
  send_line(report, "removed", archive, PATIENCE_MS);
}

void report_withdrawn(struct reporter *report) {
  send_line(report, "withdrawn", "", AS_LONG_AS_IT_TAKES);
}

void report_over(struct reporter *report, const char *ending) {
  struct session_shared *shared = &report->session->shared;
  memcpy(shared->archive, shared->dumped, sizeof shared->archive);
  set_state(report, WRITER_CLOSED);
  send_line(report, "over", ending, AS_LONG_AS_IT_TAKES);
}

void report_failed(struct reporter *report, const char *format, ...) {
  struct session_shared *shared = &report->session->shared;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(shared->message, sizeof shared->message, format, arguments);
  va_end(arguments);
  set_state(report, WRITER_FAILED);
  send_line(report, "failed", shared->message, AS_LONG_AS_IT_TAKES);
}

bool report_renamed(struct reporter *report, const char *wanted) {
  send_line(report, "renamed", wanted, PATIENCE_MS);
  return report->status_fd >= 0;
}

void report_stopped(struct reporter *report, const char *why) {
  send_line(report, "stopped", why, PATIENCE_MS);
}

void report_closed(struct reporter *report, const char *figures, const char *notice) {
  report_notice(report, notice);
  set_state(report, WRITER_CLOSED);
  send_line(report, "closed", figures, AS_LONG_AS_IT_TAKES);
}
