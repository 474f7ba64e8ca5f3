#include "session/stderr_line.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "session/clock.h"

/* What a write may raise: the reader has gone; the file has reached its limit (RLIMIT_FSIZE); the terminal
 * stops its background (TOSTOP), which it does not where that is blocked. */
static sigset_t raised_by_write(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  sigaddset(&signals, SIGTTOU);
  return signals;
}

/* A pipe that is full, and a terminal whose output is stopped, would block the writer. Signals end poll(2): a
 * program may have a timer. Where poll(2) is refused there is taken to be room. */
static bool has_room(int patience_ms) {
  struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
  uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(patience_ms > 0 ? patience_ms : 0) * 1000000;
  int left_ms = patience_ms, result;
  while ((result = poll(&output, 1, left_ms)) < 0 && errno == EINTR) {
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (patience_ms >= 0)
      left_ms = now_ns < until_ns ? (int)((until_ns - now_ns) / 1000000) : 0;
  }
  return result != 0;
}

/* One that the write has raised, not one that was pending before. */
static void drop(int error, const sigset_t *pending) {
  int raised = error == EPIPE ? SIGPIPE : SIGXFSZ;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, raised);
  if ((error == EPIPE || error == EFBIG) && !sigismember(pending, raised))
    sigtimedwait(&signals, NULL, &(struct timespec){0, 0});
}

/* A pipe with room has it for so many bytes at least. */
static void write_parts(const char *line, size_t bytes, int patience_ms) {
  ssize_t written = 0;
  for (size_t done = 0; done < bytes && has_room(patience_ms); done += written > 0 ? (size_t)written : 0) {
    size_t part = bytes - done < PIPE_BUF ? bytes - done : PIPE_BUF;
    written = write(STDERR_FILENO, line + done, part);
    if (written < 0 && errno != EINTR)
      return;
  }
}

static void write_without_signals(const char *line, size_t bytes, int patience_ms) {
  sigset_t signals = raised_by_write(), before, pending;
  bool is_blocked = pthread_sigmask(SIG_BLOCK, &signals, &before) == 0;
  sigemptyset(&pending);
  sigpending(&pending);
  errno = 0;
  write_parts(line, bytes, patience_ms);
  drop(errno, &pending);
  if (is_blocked)
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void stderr_line_write(const char *line, size_t bytes, int patience_ms) {
  int error = errno, cancellation = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  write_without_signals(line, bytes, patience_ms);
  pthread_setcancelstate(cancellation, &(int){0});
  errno = error;
}
