#include "cli/record/orphans.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* The process of this /proc entry is a writer and this process's child. */
static bool is_own_writer(const char *entry) {
  static const char name[] = "(stave-writer) ";
  char path[300], text[128];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%s/stat", entry);
  FILE *file = fopen(path, "re");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file)
    fclose(file);
  text[length] = '\0';
  const char *found = strstr(text, name);
  return found && sscanf(found + sizeof name - 1, "%*c %d", &parent) == 1 && parent == getpid();
}

static bool has_writers(void) {
  DIR *processes = opendir("/proc");
  bool has_one = false;
  for (struct dirent *entry; processes && !has_one && (entry = readdir(processes));)
    has_one = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && is_own_writer(entry->d_name);
  if (processes)
    closedir(processes);
  return has_one;
}

void orphans_reap_writers(void) {
  pid_t reaped = 0;
  for (int i = 0; i < NAPS_MAX; i++) {
    while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0)
      continue;
    if (reaped < 0 || !has_writers())
      return;
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  }
}
