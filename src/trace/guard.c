#include "trace/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 200 };

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A crash here is a damaged file's, so it leaves no core; an interrupted guard leaves no worker. */
_Noreturn static void be_worker(int (*work)(void *, struct guard_progress *), void *data,
                                struct guard_progress *progress, pid_t guard) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard)
    _exit(EXIT_FAILURE);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  int value = work(data, progress);
  fflush(NULL);
  _exit(value);
}

/* True once the worker's end of the pipe is closed, which it is when the worker has gone. */
static int has_gone(int pipe_fd) {
  struct pollfd poll_fd = {.fd = pipe_fd, .events = POLLIN};
  return poll(&poll_fd, 1, LOOK_MS) > 0;
}

/* Since the last look, as far as the worker could have worked in it: when both were stopped (Ctrl-Z), or the
 * machine slept, the next look comes late. */
static uint64_t worked_ms(uint64_t last_look, uint64_t now) {
  return now - last_look < 2 * LOOK_MS ? now - last_look : 2 * LOOK_MS;
}

/* Returns 1 if the worker had to be killed. */
static int look_on(pid_t worker, int pipe_fd, const struct guard_progress *progress,
                   const struct guard_watch *watch) {
  uint64_t start = now_ms(), last_look = start, quiet_ms = 0, last_done = 0;
  while (!has_gone(pipe_fd)) {
    uint64_t now = now_ms(), done = atomic_load(&progress->done);
    bool is_quiet = done == last_done && !atomic_load(&progress->is_waiting);
    if (watch->look)
      watch->look(watch->data, progress, now - start);
    if (watch->is_cancelled && watch->is_cancelled())
      kill(worker, SIGKILL);
    quiet_ms = is_quiet ? quiet_ms + worked_ms(last_look, now) : 0;
    last_look = now;
    last_done = done;
    if (quiet_ms > watch->patience_ms) {
      kill(worker, SIGKILL);
      return 1;
    }
  }
  return 0;
}

static struct guard_result await(pid_t worker, int was_killed) {
  int status;
  while (waitpid(worker, &status, 0) < 0)
    if (errno != EINTR)
      return (struct guard_result){GUARD_FAILED, errno};
  if (was_killed)
    return (struct guard_result){GUARD_STUCK, 0};
  if (WIFSIGNALED(status))
    return (struct guard_result){GUARD_CRASHED, WTERMSIG(status)};
  return (struct guard_result){GUARD_RETURNED, WEXITSTATUS(status)};
}

struct guard_result guard_run(int (*work)(void *data, struct guard_progress *progress), void *data,
                              const struct guard_watch *watch) {
  int fds[2];
  struct guard_progress *progress =
      mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (progress == MAP_FAILED)
    return (struct guard_result){GUARD_FAILED, errno};
  struct guard_result result = {GUARD_FAILED, 0};
  struct sigaction before; /* who ignores the end of children gets no status of one */
  sigaction(SIGCHLD, NULL, &before);
  if (before.sa_handler == SIG_IGN)
    signal(SIGCHLD, SIG_DFL);
  pid_t guard = getpid(), worker = -1;
  if (pipe(fds) == 0) {
    worker = fork();
    result.value = errno;
    if (worker == 0)
      be_worker(work, data, progress, guard);
    close(fds[1]);
    if (worker > 0)
      result = await(worker, look_on(worker, fds[0], progress, watch));
    close(fds[0]);
  } else {
    result.value = errno;
  }
  sigaction(SIGCHLD, &before, NULL);
  munmap(progress, sizeof *progress);
  return result;
}
