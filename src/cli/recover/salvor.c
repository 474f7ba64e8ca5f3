#include "cli/recover/salvor.h"

#include "cli/common/lines.h"
#include "cli/common/message.h"
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
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

/* A signal that would end this process ends stave-recover, so that what that has made can be removed
 * first. */
static struct {
  volatile pid_t child; /* 0: none */
  volatile sig_atomic_t number;
} interrupt;

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static void take_signal(int number) {
  interrupt.number = number;
  if (interrupt.child > 0)
    kill(interrupt.child, SIGKILL);
}

void salvor_catch_signals(void) {
  struct sigaction action = {.sa_handler = take_signal}, before;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(ending_signals[i], &action, NULL);
}

void salvor_end_by_signal(void) {
  if (interrupt.number == 0)
    return;
  signal(interrupt.number, SIG_DFL);
  raise(interrupt.number);
}

/* What it says, as it comes. */
struct reading {
  struct lines lines;
  struct salvor *salvor;
  bool is_reading; /* the events: then silence is no good sign */
  bool is_shown;
};

_Noreturn static void be_salvor(char *path, const char *directory, const char *out, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  char *arguments[] = {"stave-recover", (char *)directory, (char *)out, NULL};
  execv(path, arguments);
  printf("failed cannot start %s: %s\n", path, strerror(errno));
  fflush(stdout);
  _exit(EXIT_FAILURE);
}

/* -- what it says -- */

static void read_location(struct salvor_location *location, char *rest) {
  const struct line_slot slots[] = {
      {"events", &location->events}, {"missing", &location->missing}, {"last_ns", &location->last_ns}};
  const char *name = lines_read_pairs(rest, slots, sizeof slots / sizeof *slots, "name");
  location->name = name ? strdup(name) : NULL;
}

static void read_result(struct salvor *salvor, char *rest) {
  const struct line_slot slots[] = {
      {"events", &salvor->events},     {"missing", &salvor->missing}, {"last_ns", &salvor->last_ns},
      {"added", &salvor->added},       {"refused", &salvor->refused}, {"unknown", &salvor->unknown},
      {"whole_ns", &salvor->whole_ns}, {"lost", &salvor->lost},       {"shortfall", &salvor->shortfall}};
  const char *definitions = lines_read_pairs(rest, slots, sizeof slots / sizeof *slots, "definitions");
  salvor->is_journal_cut = definitions && strcmp(definitions, "whole") != 0;
  salvor->is_done = true;
}

static struct salvor_location *add_location(struct salvor *salvor) {
  if (salvor->location_count == salvor->location_capacity) {
    size_t capacity = salvor->location_capacity > 0 ? 2 * salvor->location_capacity : 8;
    struct salvor_location *locations = realloc(salvor->locations, capacity * sizeof *locations);
    if (!locations)
      return NULL;
    salvor->locations = locations;
    salvor->location_capacity = capacity;
  }
  struct salvor_location *location = &salvor->locations[salvor->location_count++];
  *location = (struct salvor_location){0};
  return location;
}

static void show(struct reading *reading, const char *text) {
  if (!message_on_terminal())
    return;
  reading->is_shown = true;
  fprintf(stderr, "\r\033[Kstave: %s", text);
}

static void take_line(void *data, char *line) {
  struct reading *reading = data;
  struct salvor *salvor = reading->salvor;
  char *word = strsep(&line, " "), number[32], text[64];
  char *rest = line ? line : (char[]){""};
  struct salvor_location *location;
  if (strcmp(word, "progress") == 0) {
    snprintf(text, sizeof text, "%s events", summary_number(number, strtoull(rest, NULL, 10)));
    show(reading, text);
  } else if (strcmp(word, "reading") == 0) {
    reading->is_reading = true;
  } else if (strcmp(word, "naming") == 0) {
    reading->is_reading = false;
    show(reading, "looking up the names");
  } else if (strcmp(word, "location") == 0 && (location = add_location(salvor))) {
    read_location(location, rest);
  } else if (strcmp(word, "result") == 0) {
    read_result(salvor, rest);
  } else if (strcmp(word, "failed") == 0 && !salvor->failure) {
    salvor->failure = strdup(rest);
  }
}

/* Returns false if nothing came for too long. */
static bool listen(struct reading *reading, int fd) {
  char bytes[4096];
  for (;;) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    int ready = poll(&poll_fd, 1, reading->is_reading ? PATIENCE_MS : -1);
    if (interrupt.number)
      return true;
    if (ready == 0)
      return false;
    ssize_t count = ready > 0 ? read(fd, bytes, sizeof bytes) : -1;
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return true;
    lines_take(&reading->lines, bytes, (size_t)count, take_line, reading);
  }
}

static int watch(struct salvor *salvor, pid_t child, int fd) {
  struct reading reading = {.salvor = salvor};
  int status = 0;
  bool is_alive = listen(&reading, fd);
  if (!is_alive || interrupt.number)
    kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  interrupt.child = 0;
  if (reading.is_shown)
    fprintf(stderr, "\r\033[K");
  if (interrupt.number && !salvor->is_done)
    return -EINTR;
  if (!is_alive)
    return -ETIME;
  return WIFSIGNALED(status) || (!salvor->is_done && !salvor->failure) ? -EIO : 0;
}

int salvor_run(struct salvor *salvor, const char *directory, const char *out) {
  char *path;
  int ends[2];
  *salvor = (struct salvor){0};
  int error = locate_salvor(&path);
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
    be_salvor(path, directory, out, ends[1]);
  }
  close(ends[1]);
  if (child > 0)
    error = watch(salvor, child, ends[0]);
  close(ends[0]);
  free(path);
  return error;
}

void salvor_clear(struct salvor *salvor) {
  for (size_t i = 0; i < salvor->location_count; i++)
    free(salvor->locations[i].name);
  free(salvor->locations);
  free(salvor->failure);
  *salvor = (struct salvor){0};
}
