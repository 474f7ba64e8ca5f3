#include "writer/process.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

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
