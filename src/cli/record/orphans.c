#include "cli/record/orphans.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/process_stat.h"

enum { NAP_NS = 1000000, NAPS_MAX = 1000 };

void orphans_adopt(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_reap(pid_t program) {
  siginfo_t info = {0};
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0 &&
         info.si_pid != program) {
    waitpid(info.si_pid, NULL, 0);
    info.si_pid = 0;
  }
}

bool orphans_has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

enum orphan { NO_ORPHAN, ORPHAN_WRITER, ORPHAN_OTHER };

/* What the process of this /proc entry is: none of this process's children, or one that has not ended. */
static enum orphan kind_of(const char *entry) {
  enum { PARENT = 4 };
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(atoi(entry), 0, text), *parent = process_stat_field(fields, PARENT);
  if (!parent || *fields == 'Z' || atoi(parent) != getpid())
    return NO_ORPHAN;
  return strstr(text, "(stave-writer) ") ? ORPHAN_WRITER : ORPHAN_OTHER;
}

static size_t find_orphans(enum orphan kind, pid_t *ret_last) {
  DIR *processes = opendir("/proc");
  size_t count = 0;
  for (struct dirent *entry; processes && (entry = readdir(processes));)
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && kind_of(entry->d_name) == kind) {
      *ret_last = atoi(entry->d_name);
      count++;
    }
  if (processes)
    closedir(processes);
  return count;
}

size_t orphans_count_writers(void) {
  pid_t last;
  return find_orphans(ORPHAN_WRITER, &last);
}

pid_t orphans_other(void) {
  pid_t last = 0;
  find_orphans(ORPHAN_OTHER, &last);
  return last;
}

void orphans_reap_writers(size_t left) {
  pid_t reaped = 0;
  for (int i = 0; i < NAPS_MAX; i++) {
    while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0)
      continue;
    if (reaped < 0 || orphans_count_writers() <= left)
      return;
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  }
}
