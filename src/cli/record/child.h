/* The traced program as a child process: `stave record` is between it and whoever started stave, and must not
 * be felt. Signals from the terminal reach the program by themselves (same process group); those that someone
 * sends to stave are passed on; when the program stops, stave stops, and goes on with it. The program starts
 * with exactly the signal mask and dispositions that stave was started with. */
#ifndef STAVE_CLI_RECORD_CHILD_H
#define STAVE_CLI_RECORD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
  pid_t pid;
  pid_t waker;     /* the process that let stave go on last; 0: none has */
  int signal_fd;   /* readable when child_signals has something to do */
  bool has_ended;  /* it is a zombie: not reaped before child_reap */
  bool is_refused; /* by a limit or a filter: there is no child, its program can be run in place of stave */
  bool is_interrupted;   /* after its end: someone interrupted stave */
  bool is_terminated;    /* after its end: SIGTERM or SIGHUP to stave */
  int code, status;      /* how it ended: si_code and si_status of waitid */
  sigset_t started_mask; /* what stave was started with */
  struct sigaction started_sigchld;
};

/* Starts `path` with `arguments` (argv[0] first) and the environment of now. Returns 0, or a negative errno,
 * for instance that of execve, and then no process is left. The caller looks at is_refused. */
int child_start(struct child *ret, const char *path, char **arguments);

/* Does what the signals that have arrived request. Never blocks. Sets has_ended once the program has. */
void child_signals(struct child *child);

/* Collects the ended program's exit status, so that it vanishes from /proc, and restores stave's own signal
 * state. `going_on`: as many writers are not waited for. */
void child_reap(struct child *child, size_t going_on);

/* Ends stave as the program ended: returns its exit status, or dies of the signal it died of. As process 1,
 * which signals do not kill, returns 128 + signal. */
int child_exit_status(const struct child *child);

#endif
