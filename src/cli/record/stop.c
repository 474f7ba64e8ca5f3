#include "cli/record/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/process_stat.h"

enum { NAP_FIRST_NS = 2000000, NAP_LONGEST_NS = 100000000 };

static bool is_stopped(pid_t pid) {
  char state = process_state(pid);
  return state == 'T' || state == 't';
}

/* In a process of its own, until it is killed. Stave may stop only after the program has gone on. */
static void wake_with(pid_t program, pid_t stave) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (long nap_ns = NAP_FIRST_NS; getppid() == stave && process_state(program) != '\0';) {
    if (!is_stopped(program) && is_stopped(stave))
      kill(stave, SIGCONT);
    nanosleep(&(struct timespec){0, nap_ns}, NULL);
    nap_ns = nap_ns * 2 < NAP_LONGEST_NS ? nap_ns * 2 : NAP_LONGEST_NS;
  }
  _exit(0);
}

static void stop_by(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  kill(getpid(), signal);
  sigprocmask(SIG_UNBLOCK, &set, NULL); /* here stave stops; it goes on from here after SIGCONT */
  sigprocmask(SIG_BLOCK, &set, NULL);
}

pid_t stop_with(pid_t program, int signal) {
  pid_t stave = getpid(), waker = fork();
  if (waker == 0)
    wake_with(program, stave);
  stop_by(signal);
  if (waker < 0)
    return 0;
  kill(waker, SIGKILL);
  while (waitpid(waker, NULL, 0) < 0 && errno == EINTR)
    continue;
  return waker;
}
