#include "writer/process.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "session/session.h"

static volatile sig_atomic_t terminations;

static void on_terminate(int signal) {
  (void)signal;
  terminations++;
}

void process_prepare_signals(void) {
  static const int ignored[] = {SIGINT, SIGHUP, SIGPIPE, SIGXFSZ, SIGQUIT, SIGTSTP, SIGTTOU, SIGTTIN};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    signal(ignored[i], SIG_IGN);
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_terminate, .sa_flags = SA_RESTART}, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

int process_terminations(void) {
  return terminations;
}

void process_raise_limits(void) {
  static const int limits[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i], &limit) < 0)
      continue;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(limits[i], &limit);
  }
}

static void give_up(void *data) {
  (void)data;
  _exit(3); /* the parent reports it */
}

void process_become_copy(const char *name) {
  enum { NICENESS = 10 };
  prctl(PR_SET_NAME, name);
  if (nice(NICENESS) < 0)
    errno = 0;
  close(WRITER_FD_SESSION);
  close(WRITER_FD_APPLICATION);
  memory_at_exhaustion(give_up, NULL);
}
