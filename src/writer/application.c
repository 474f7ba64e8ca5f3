#include "writer/application.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "session/clock.h"

enum { RECHECK_NS = 1000000000 };

void application_open(struct application *application, pid_t pid, int pidfd, int alive_fd, int session_fd) {
  struct stat status = {0};
  fstat(session_fd, &status);
  struct pollfd descriptor = {.fd = pidfd};
  bool has_pidfd = poll(&descriptor, 1, 0) >= 0 && !(descriptor.revents & POLLNVAL);
  *application = (struct application){
      .pid = pid, .pidfd = has_pidfd ? pidfd : -1, .alive_fd = alive_fd, .session_inode = status.st_ino};
}

/* Fields of /proc/PID/stat, counted from 1, from the third on (the second can hold anything). */
static bool read_stat(pid_t pid, char *ret_state, int *ret_exit_code) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  size_t n = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[n] = '\0';
  char *field = strrchr(line, ')');
  if (!field || strlen(field) < 3)
    return false;
  *ret_state = field[2];
  for (int i = 3; i < 52 && field; i++)
    field = strchr(field + (i == 3 ? 2 : 1), ' ');
  *ret_exit_code = field ? (int)strtol(field, NULL, 10) : 0;
  return true;
}

static bool has_died(const struct application *application) {
  if (application->pidfd >= 0) {
    struct pollfd process = {.fd = application->pidfd, .events = POLLIN};
    return poll(&process, 1, 0) > 0;
  }
  char state;
  int exit_code;
  if (read_stat(application->pid, &state, &exit_code))
    return state == 'Z' || state == 'X';
  return kill(application->pid, 0) < 0 && errno == ESRCH;
}

/* Whether the process still maps the session's memory. True when in doubt. */
static bool maps_session(const struct application *application) {
  char path[64], *line = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)application->pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return true;
  bool is_mapped = false, has_lines = false;
  while (!is_mapped && getline(&line, &size, file) > 0) {
    unsigned long inode = 0;
    has_lines = true;
    if (strstr(line, "memfd:stave") && sscanf(line, "%*s %*s %*s %*s %lu", &inode) == 1)
      is_mapped = inode == application->session_inode;
  }
  free(line);
  fclose(file);
  return is_mapped || !has_lines;
}

/* The pipe's end is only a hint: daemons close all descriptors and run on. */
static bool has_execed(struct application *application) {
  struct pollfd pipe = {.fd = application->alive_fd, .events = POLLIN};
  if (application->alive_fd < 0 || poll(&pipe, 1, 0) <= 0)
    return false;
  uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (application->checked_ns && now - application->checked_ns < RECHECK_NS)
    return false;
  application->checked_ns = now;
  return !maps_session(application);
}

enum application_end application_check(struct application *application) {
  if (has_died(application))
    return APPLICATION_DIED;
  return has_execed(application) ? APPLICATION_EXECED : APPLICATION_RUNS;
}

int64_t application_ending(const struct application *application, char *text, unsigned size) {
  char state = '?';
  int code = 0;
  if (!read_stat(application->pid, &state, &code) || state != 'Z') {
    snprintf(text, size, "ended, status unknown");
    return INT64_MIN;
  }
  if (WIFSIGNALED(code)) {
    snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(code), strsignal(WTERMSIG(code)));
    return INT64_MIN;
  }
  snprintf(text, size, "exit status %d", WEXITSTATUS(code));
  return WEXITSTATUS(code);
}
