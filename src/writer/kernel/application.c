#include "writer/kernel/application.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>

#include "base/blocked_thread.h"
#include "session/clock.h"
#include "session/process_stat.h"
#include "session/session.h"

enum { RECHECK_NS = 1000000000, WATCHER_STACK_BYTES = 64 << 10 };

void application_open(struct application *application, pid_t pid, int pidfd, int session_fd) {
  struct stat status = {0};
  fstat(session_fd, &status);
  struct pollfd descriptor = {.fd = pidfd};
  bool has_pidfd = poll(&descriptor, 1, 0) >= 0 && !(descriptor.revents & POLLNVAL);
  *application = (struct application){.pid = pid,
                                      .pidfd = has_pidfd ? pidfd : -1,
                                      .session_fd = session_fd,
                                      .session_device = status.st_dev,
                                      .session_inode = status.st_ino};
}

static bool read_stat(pid_t pid, char *ret_state, int *ret_exit_code) {
  enum { EXIT_CODE = 52 };
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, 0, text), *code = process_stat_field(fields, EXIT_CODE);
  if (!fields)
    return false;
  *ret_state = *fields;
  *ret_exit_code = code ? (int)strtol(code, NULL, 10) : 0;
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

/* A thread of its own, since the writer sleeps on a futex, for up to a tenth of a second. */
static void *watch(void *data) {
  struct application *application = data;
  struct pollfd process = {.fd = application->pidfd, .events = POLLIN};
  while (poll(&process, 1, -1) <= 0)
    if (errno != EINTR)
      return NULL;
  atomic_store(&application->died_ticks, clock_ticks(application->clock));
  session_wake_writer(application->session);
  return NULL;
}

void application_watch(struct application *application, struct session_header *session,
                       enum clock_kind clock) {
  pthread_attr_t attributes;
  pthread_t thread;
  application->session = session;
  application->clock = clock;
  if (application->pidfd < 0 || pthread_attr_init(&attributes) != 0)
    return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, WATCHER_STACK_BYTES);
  blocked_thread_create(&thread, &attributes, watch, application);
  pthread_attr_destroy(&attributes);
}

uint64_t application_died_ticks(const struct application *application) {
  uint64_t ticks = atomic_load(&application->died_ticks);
  return ticks ? ticks : clock_ticks(application->clock);
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
    unsigned major, minor;
    unsigned long inode = 0;
    has_lines = true;
    if (sscanf(line, "%*s %*s %*s %x:%x %lu", &major, &minor, &inode) == 3)
      is_mapped = inode == application->session_inode && makedev(major, minor) == application->session_device;
  }
  free(line);
  fclose(file);
  return is_mapped || !has_lines;
}

/* That the lock is gone is only a hint: daemons close all descriptors and run on. */
static bool has_execed(struct application *application) {
  struct flock lock = {.l_type = F_WRLCK};
  if (application->has_execed)
    return true;
  if (fcntl(application->session_fd, F_GETLK, &lock) < 0 || lock.l_type != F_UNLCK)
    return false;
  uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (application->checked_ns && now - application->checked_ns < RECHECK_NS)
    return false;
  application->checked_ns = now;
  application->has_execed = !maps_session(application);
  return application->has_execed;
}

enum application_end application_check(struct application *application) {
  if (has_died(application))
    return APPLICATION_DIED;
  uint64_t now = clock_ticks(application->clock);
  if (has_execed(application))
    return APPLICATION_EXECED;
  application->ran_ticks = now;
  return APPLICATION_RUNS;
}

static size_t put(char *text, size_t size, size_t used, char c) {
  if (used + 1 < size)
    text[used++] = c;
  return used;
}

/* In single quotes unless it is plain; a quote inside becomes '\''. */
static size_t quote(const char *argument, char *text, size_t size, size_t used) {
  bool is_plain =
      *argument && strspn(argument, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "%+,-./:=@_") == strlen(argument);
  if (!is_plain)
    used = put(text, size, used, '\'');
  for (const char *c = argument; *c; c++) {
    const char *piece = *c == '\'' ? "'\\''" : (char[]){iscntrl((unsigned char)*c) ? '?' : *c, '\0'};
    for (; *piece; piece++)
      used = put(text, size, used, *piece);
  }
  return is_plain ? used : put(text, size, used, '\'');
}

size_t application_command_line(const struct application *application, char *line, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)application->pid);
  FILE *file = fopen(path, "re");
  size_t bytes = file ? fread(line, 1, size - 1, file) : 0;
  if (file)
    fclose(file);
  line[bytes] = '\0';
  return bytes;
}

void application_quote(const char *line, size_t bytes, char *text, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < bytes; i += strlen(line + i) + 1) {
    if (i)
      used = put(text, size, used, ' ');
    used = quote(line + i, text, size, used);
  }
  text[used] = '\0';
}

/* What the kernel keeps of a process for those who hold its pidfd, also after its parent has collected it
 * (since Linux 6.15; <linux/pidfd.h>). */
struct pidfd_info_v0 {
  uint64_t mask, cgroup;
  uint32_t ids[11];
  int32_t exit_code;
};

static bool read_pidfd(int pidfd, int *ret_exit_code) {
  enum { INFO_EXIT = 1 << 3 };
  struct pidfd_info_v0 info = {.mask = INFO_EXIT};
  if (pidfd < 0 || ioctl(pidfd, _IOWR(0xff, 11, struct pidfd_info_v0), &info) < 0 || !(info.mask & INFO_EXIT))
    return false;
  *ret_exit_code = info.exit_code;
  return true;
}

/* The pidfd shows once the parent has collected the process, the process table until then; in between, for
 * some microseconds, neither does. */
static bool read_exit_code(const struct application *application, int *ret_code) {
  enum { NAPS = 20, NAP_NS = 250000 };
  for (int i = 0; i < NAPS; i++) {
    char state = '?';
    if (read_pidfd(application->pidfd, ret_code) ||
        (read_stat(application->pid, &state, ret_code) && state == 'Z'))
      return true;
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  }
  return false;
}

int64_t application_ending(const struct application *application, char *text, unsigned size) {
  int code = 0;
  bool is_known = read_exit_code(application, &code);
  if (!is_known) {
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
