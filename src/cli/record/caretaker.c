#include "cli/record/caretaker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { STATUS_FD = STDERR_FILENO + 1, FDS_MAX = 65536 };

/* Somebody may wait for the end of a pipe, or for a lock, or unmount a file system: nothing but the FIFO is
 * held. */
static void hold_only(int status_fd) {
  int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  int moved = chdir("/");
  (void)moved; /* else it stays where it is */
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    dup2(null_fd, fd);
  if (status_fd != STATUS_FD)
    dup2(status_fd, STATUS_FD);
  if (syscall(SYS_close_range, STATUS_FD + 1, ~0u, 0) == 0)
    return;
  for (int fd = STATUS_FD + 1; fd < FDS_MAX; fd++) /* before Linux 5.9 */
    close(fd);
}

/* Writers wait until their last line is read. */
_Noreturn static void keep_until_the_end(struct workdir *workdir, struct status *status,
                                         const struct child *child) {
  struct pollfd fifo = {.fd = STATUS_FD, .events = POLLIN};
  setsid();
  hold_only(status->read_fd);
  status->read_fd = STATUS_FD;
  sigprocmask(SIG_SETMASK, &child->started_mask, NULL);
  while (!status->at_end) {
    poll(&fifo, 1, -1);
    status_read(status);
  }
  workdir_remove(workdir);
  _exit(0);
}

/* By the other process, which has nothing to write. */
static void wait_until_closed(const int *pipe_ends) {
  char nothing;
  close(pipe_ends[1]);
  while (read(pipe_ends[0], &nothing, 1) < 0 && errno == EINTR) {
  }
  close(pipe_ends[0]);
}

void caretaker_start(struct workdir *workdir, struct status *status, const struct child *child) {
  if (!workdir_has_libraries(workdir))
    return;
  int held[2]; /* by both, until the caretaker holds nothing else */
  bool is_awaited = pipe2(held, O_CLOEXEC) == 0;
  pid_t pid = fork();
  if (pid == 0)
    keep_until_the_end(workdir, status, child);
  if (pid > 0)
    workdir->path[0] = '\0';
  if (is_awaited)
    wait_until_closed(held);
}
