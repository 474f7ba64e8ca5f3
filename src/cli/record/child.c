#include "cli/record/child.h"

#include "cli/record/orphans.h"
#include "cli/record/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every signal that can be held back without hiding a fault of stave's own. */
static sigset_t handled_signals(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&set, faults[i]);
  return set;
}

/* In the child. execvp, since `path` has a slash, only adds that a file of no known kind is given to the
 * shell. */
static void exec_program(const struct child *child, const char *path, char **arguments, int error_fd) {
  sigaction(SIGCHLD, &child->started_sigchld, NULL);
  sigprocmask(SIG_SETMASK, &child->started_mask, NULL);
  execvp(path, arguments);
  int error = errno;
  while (write(error_fd, &error, sizeof error) < 0 && errno == EINTR)
    continue;
  _exit(127);
}

/* Blocked signals are read from a descriptor, so that no other disposition has to change. SIGCHLD must:
 * ignored, it would reap the program before its status was read. */
static int receive_signals(struct child *child) {
  sigset_t handled = handled_signals();
  if (sigprocmask(SIG_BLOCK, &handled, &child->started_mask) != 0 ||
      sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &child->started_sigchld) != 0)
    return -errno;
  child->signal_fd = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  return child->signal_fd >= 0 ? 0 : -errno;
}

static void give_signals_back(struct child *child) {
  if (child->signal_fd >= 0)
    close(child->signal_fd);
  child->signal_fd = -1;
  sigaction(SIGCHLD, &child->started_sigchld, NULL);
  sigprocmask(SIG_SETMASK, &child->started_mask, NULL);
}

/* What is refused only once the program has started would leave stave waiting without end. Nobody is one's
 * own child. Returns 0 or a negative errno. */
static int try_waiting(void) {
  siginfo_t info;
  if (poll(NULL, 0, 0) < 0)
    return -errno;
  if (waitid(P_PID, (id_t)getpid(), &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno != ECHILD)
    return -errno;
  return waitpid(getpid(), NULL, WNOHANG) < 0 && errno != ECHILD ? -errno : 0;
}

/* Forks and waits until exec has happened: 0, or what went wrong as a negative errno. */
static int fork_and_exec(struct child *child, const char *path, char **arguments) {
  int pipe_fds[2], error = 0;
  child->is_refused = pipe2(pipe_fds, O_CLOEXEC) != 0;
  if (child->is_refused)
    return -errno;
  child->pid = fork();
  if (child->pid == 0)
    exec_program(child, path, arguments, pipe_fds[1]);
  child->is_refused = child->pid < 0;
  if (child->is_refused)
    error = errno;
  close(pipe_fds[1]);
  ssize_t length;
  do
    length = child->pid > 0 ? read(pipe_fds[0], &error, sizeof error) : 0;
  while (length < 0 && errno == EINTR);
  close(pipe_fds[0]);
  if (length > 0)
    waitpid(child->pid, NULL, 0);
  return -error;
}

int child_start(struct child *ret, const char *path, char **arguments) {
  *ret = (struct child){.pid = -1, .signal_fd = -1};
  sigprocmask(SIG_SETMASK, NULL, &ret->started_mask);
  sigaction(SIGCHLD, NULL, &ret->started_sigchld);
  int error = try_waiting();
  orphans_adopt();
  error = error == 0 ? receive_signals(ret) : error;
  ret->is_refused = error != 0;
  if (error == 0)
    error = fork_and_exec(ret, path, arguments);
  if (error != 0)
    give_signals_back(ret);
  return error;
}

/* The signals that a terminal or a session's end sends to the entire process group. (But a terminal that is
 * lost sends SIGHUP to the first process of the session alone.) */
static bool is_for_group(int signal) {
  static const int group_signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGWINCH};
  for (size_t i = 0; i < sizeof group_signals / sizeof *group_signals; i++)
    if (group_signals[i] == signal)
      return true;
  return false;
}

/* True if the signal would have been the program's, had it been started without stave. What the program
 * itself sends to its group or to its parent is not. */
static bool is_for_program(const struct child *child, const struct signalfd_siginfo *info) {
  if (info->ssi_signo == SIGCHLD || info->ssi_signo == SIGPIPE)
    return false;
  if (info->ssi_code == SI_KERNEL)
    return !is_for_group((int)info->ssi_signo) || (info->ssi_signo == SIGHUP && getsid(0) == getpid());
  return info->ssi_pid != (uint32_t)child->pid && info->ssi_pid != (uint32_t)getpid() &&
         info->ssi_pid != (uint32_t)child->waker;
}

static void forward(const struct child *child, const struct signalfd_siginfo *info) {
  union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};
  if (info->ssi_code == SI_QUEUE)
    sigqueue(child->pid, (int)info->ssi_signo, value);
  else
    kill(child->pid, (int)info->ssi_signo);
}

/* With the program gone, signals are for stave, which only waits. */
static void note_request(struct child *child, const struct signalfd_siginfo *info) {
  child->is_interrupted |= info->ssi_signo == SIGINT || info->ssi_signo == SIGQUIT;
  child->is_terminated |= info->ssi_signo == SIGTERM || info->ssi_signo == SIGHUP;
}

static void look_at_child(struct child *child) {
  siginfo_t info = {0};
  orphans_reap(child->pid);
  if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child->pid) {
    child->has_ended = true;
    child->code = info.si_code;
    child->status = info.si_status;
    return;
  }
  info.si_pid = 0;
  if (waitid(P_PID, (id_t)child->pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == child->pid)
    child->waker = stop_with(child->pid, info.si_status);
}

void child_signals(struct child *child) {
  struct signalfd_siginfo info;
  while (read(child->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
    if (child->has_ended)
      note_request(child, &info);
    else if (is_for_program(child, &info))
      forward(child, &info);
  }
  if (!child->has_ended)
    look_at_child(child);
}

void child_reap(struct child *child, size_t going_on) {
  while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  if (!child->is_interrupted && !child->is_terminated)
    orphans_reap_writers(going_on);
  give_signals_back(child);
}

int child_exit_status(const struct child *child) {
  if (child->code == CLD_EXITED)
    return child->status;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, child->status);
  /* the program has left its core; stave's own would only hide it */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  prctl(PR_SET_DUMPABLE, 0);
  sigaction(child->status, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  kill(getpid(), child->status);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  return 128 + child->status;
}
