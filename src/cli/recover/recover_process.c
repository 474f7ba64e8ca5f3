#include "cli/recover/recover_process.h"

#include "base/array.h"
#include "cli/common/ending.h"
#include "cli/common/lines.h"
#include "cli/common/progress.h"
#include "cli/common/summary.h"
#include "cli/programs/locate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

/* A signal that would end this process ends stave-recover, so that what that has made can be removed
 * first. */
static struct {
  volatile pid_t child; /* 0: none */
  volatile sig_atomic_t number;
} interrupt;

static void remember_signal(int number) {
  interrupt.number = number;
  if (interrupt.child > 0)
    kill(interrupt.child, SIGKILL);
}

void recover_process_catch_signals(void) {
  struct sigaction action = {.sa_handler = remember_signal}, before;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(ending_signals[i], &action, NULL);
}

void recover_process_release_signals(bool ends) {
  struct sigaction before;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == remember_signal)
      signal(ending_signals[i], SIG_DFL);
  if (ends && interrupt.number)
    raise(interrupt.number);
}

/* Its output, line by line. */
struct listener {
  struct lines lines;
  struct recover_process *process;
  bool is_reading; /* the events: then silence is no good sign */
  struct timespec start;
  char step[64]; /* what it is about */
  bool is_shown;
};

_Noreturn static void exec_stave_recover(char *path, char **arguments, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  execv(path, arguments);
  printf("failed cannot start %s: %s\n", path, strerror(errno));
  fflush(stdout);
  _exit(EXIT_FAILURE);
}

/* -- its output -- */

static void read_location(struct recover_location *location, char *rest) {
  const struct line_slot slots[] = {
      {"events", &location->events}, {"missing", &location->missing}, {"last_ns", &location->last_ns}};
  const char *name = lines_read_pairs(rest, slots, sizeof slots / sizeof *slots, "name");
  location->name = name ? strdup(name) : NULL;
}

static void read_result(struct recover_process *process, char *rest) {
  const struct line_slot slots[] = {{"events", &process->events},       {"missing", &process->missing},
                                    {"last_ns", &process->last_ns},     {"added", &process->added},
                                    {"refused", &process->refused},     {"unknown", &process->unknown},
                                    {"whole_ns", &process->whole_ns},   {"lost", &process->lost},
                                    {"shortfall", &process->shortfall}, {"has_all", &process->has_all}};
  const char *definitions = lines_read_pairs(rest, slots, sizeof slots / sizeof *slots, "definitions");
  process->is_journal_cut = definitions && strcmp(definitions, "cut") == 0;
  process->is_done = true;
}

static struct recover_location *add_location(struct recover_process *process) {
  if (!array_try_reserve(&process->locations, &process->location_capacity, process->location_count + 1,
                         sizeof *process->locations))
    return NULL;
  struct recover_location *location = &process->locations[process->location_count++];
  *location = (struct recover_location){0};
  return location;
}

/* How long nothing is to be shown yet; 0: it is time. */
static int quiet_ms(const struct listener *listener) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t since_ms = (now.tv_sec - listener->start.tv_sec) * INT64_C(1000) +
                     (now.tv_nsec - listener->start.tv_nsec) / 1000000;
  return since_ms < PROGRESS_QUIET_MS ? (int)(PROGRESS_QUIET_MS - since_ms) : 0;
}

static void show(struct listener *listener) {
  if (quiet_ms(listener) > 0)
    return;
  progress_show("%s", listener->step);
  listener->is_shown = true;
}

static void read_line(void *data, char *line) {
  struct listener *listener = data;
  struct recover_process *process = listener->process;
  char *word = strsep(&line, " "), number[32];
  char *rest = line ? line : (char[]){""};
  struct recover_location *location;
  if (strcmp(word, "progress") == 0) {
    snprintf(listener->step, sizeof listener->step, "%s events",
             summary_number(number, strtoull(rest, NULL, 10)));
    show(listener);
  } else if (strcmp(word, "reading") == 0) {
    listener->is_reading = true;
  } else if (strcmp(word, "naming") == 0) {
    listener->is_reading = false;
    snprintf(listener->step, sizeof listener->step, "looking up the names");
    show(listener);
  } else if (strcmp(word, "location") == 0 && (location = add_location(process))) {
    read_location(location, rest);
  } else if (strcmp(word, "result") == 0) {
    read_result(process, rest);
  } else if (strcmp(word, "note") == 0) {
    string_list_add(&process->notes, rest);
  } else if (strcmp(word, "rings") == 0 && !process->rings) {
    process->rings = strdup(rest);
  } else if (strcmp(word, "failed") == 0 && !process->failure) {
    process->failure = strdup(rest);
  }
}

/* Returns false if nothing came for too long. */
static bool listen(struct listener *listener, int fd) {
  char bytes[4096];
  for (;;) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    int quiet = quiet_ms(listener);
    int ready = poll(&poll_fd, 1, quiet > 0 ? quiet : listener->is_reading ? PATIENCE_MS : -1);
    if (interrupt.number)
      return true;
    if (ready == 0 && quiet == 0)
      return false;
    if (ready == 0) {
      show(listener);
      continue;
    }
    ssize_t count = ready > 0 ? read(fd, bytes, sizeof bytes) : -1;
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return true;
    lines_read(&listener->lines, bytes, (size_t)count, read_line, listener);
  }
}

static int watch(struct recover_process *process, pid_t child, int fd) {
  struct listener listener = {.process = process, .step = "reading what is left"};
  int status = 0;
  clock_gettime(CLOCK_MONOTONIC, &listener.start);
  bool is_alive = listen(&listener, fd);
  if (!is_alive || interrupt.number)
    kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  interrupt.child = 0;
  if (listener.is_shown)
    progress_clear();
  if (interrupt.number && !process->is_done)
    return -EINTR;
  if (!is_alive)
    return -ETIME;
  process->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return WIFSIGNALED(status) || (!process->is_done && !process->failure) ? -EIO : 0;
}

int recover_process_run(struct recover_process *process, const char *directory, const char *out,
                        bool goes_on) {
  char *path;
  char *arguments[] = {"stave-recover", (char *)directory, (char *)out, goes_on ? "running" : NULL, NULL};
  int ends[2];
  *process = (struct recover_process){0};
  int error = locate_recover(&path);
  if (error < 0)
    return error;
  if (pipe(ends) < 0) {
    error = -errno;
    free(path);
    return error;
  }
  fflush(NULL);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before); /* none comes before the handler knows whom to end */
  pid_t child = fork();
  error = -errno;
  interrupt.child = child > 0 ? child : 0;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (child == 0) {
    close(ends[0]);
    exec_stave_recover(path, arguments, ends[1]);
  }
  close(ends[1]);
  if (child > 0)
    error = watch(process, child, ends[0]);
  close(ends[0]);
  free(path);
  return error;
}

void recover_process_clear(struct recover_process *process) {
  for (size_t i = 0; i < process->location_count; i++)
    free(process->locations[i].name);
  free(process->locations);
  free(process->failure);
  free(process->rings);
  string_list_clear(&process->notes);
  *process = (struct recover_process){0};
}
