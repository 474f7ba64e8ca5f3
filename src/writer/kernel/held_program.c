#include "writer/kernel/held_program.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/blocked_thread.h"
#include "session/clock.h"
#include "session/futex.h"
#include "session/session.h"

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* Newer kernels (6.18) throw away what is sent to a process that is held, SIGKILL, too: so it is not held for
 * long, whatever there is to write. */
enum { STACK_BYTES = 64 << 10, LOOK_NS = 20000000, PATIENCE_MS = 1000 };
enum { HELD_SHARE = 12 }; /* of STAVE_TIMEOUT: 5 s of 60 */

/* -- the line -- */

static void print(int fd, const char *line) {
  char text[CLOSING_LINE_BYTES + 16];
  int length = snprintf(text, sizeof text, "stave: %s\n", line);
  for (char *c = text; c < text + length - 1; c++)
    *c = iscntrl((unsigned char)*c) ? '?' : *c;
  struct pollfd descriptor = {.fd = fd, .events = POLLOUT};
  if (poll(&descriptor, 1, PATIENCE_MS) > 0 && write(fd, text, (size_t)length) < 0)
    errno = 0;
}

/* Else the process ends without the runtime's finalize, in which the tool would report something. */
static bool is_finished(const struct held_program *held) {
  return atomic_load(&held->session->shared.tool_state) == TOOL_FINISHED;
}

/* Once: the first of those who come. */
static void report(struct held_program *held, const char *line) {
  int fd = atomic_exchange(&held->line_fd, -1);
  if (fd < 0)
    return;
  if (*line && is_finished(held))
    print(fd, line);
  close(fd);
}

static void report_before(struct held_program *held) {
  char line[CLOSING_LINE_BYTES];
  closing_line_before(held->session, "after the program", line);
  report(held, line);
}

/* -- the thread -- */

static size_t read_proc(const struct held_program *held, const char *name, char *text, size_t bytes) {
  char path[80];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)held->application->pid, (int)held->thread, name);
  FILE *file = fopen(path, "re");
  size_t length = file ? fread(text, 1, bytes - 1, file) : 0;
  text[length] = '\0';
  if (file)
    fclose(file);
  return length;
}

/* What the session's memory has may be anything, and a number of a thread that has ended another process's.
 */
static bool is_of_program(const struct held_program *held) {
  char text[16];
  struct pollfd process = {.fd = held->application->pidfd, .events = POLLIN};
  return read_proc(held, "comm", text, sizeof text) && (process.fd < 0 || poll(&process, 1, 0) == 0);
}

/* A stranger that has the number by now is let go as this thread ends. */
static bool is_seized(const struct held_program *held) {
  return is_of_program(held) && ptrace(PTRACE_SEIZE, held->thread, NULL, (void *)PTRACE_O_TRACEEXIT) == 0 &&
         is_of_program(held);
}

static void get_stderr(struct held_program *held, int32_t fd) {
  if (fd >= 0)
    atomic_store(&held->line_fd, (int)syscall(SYS_pidfd_getfd, held->application->pidfd, fd, 0));
}

static void answer(struct held_program *held, enum hold_state state) {
  uint32_t requested = HOLD_REQUESTED;
  if (!atomic_compare_exchange_strong(&held->session->shared.hold, &requested, state))
    report(held, "");
  futex_wake_all(&held->session->shared.hold);
}

/* False: it is gone. */
static bool wait_for_stop(const struct held_program *held, int *ret_status) {
  pid_t pid;
  while ((pid = waitpid(held->thread, ret_status, __WALL)) < 0 && errno == EINTR) {
  }
  return pid == held->thread && WIFSTOPPED(*ret_status);
}

static bool is_stop_signal(int number) {
  return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* As if nobody traced it: a signal comes to it, or all threads are stopped by one. */
static void pass_on(const struct held_program *held, int status) {
  int event = status >> 16, number = WSTOPSIG(status);
  if (event == PTRACE_EVENT_STOP && is_stop_signal(number))
    ptrace(PTRACE_LISTEN, held->thread, NULL, NULL);
  else
    ptrace(PTRACE_CONT, held->thread, NULL, (void *)(uintptr_t)(event ? 0 : number));
}

/* -- the end -- */

/* Not where only the thread ends: others may wait for that. */
static bool is_end_of_process(const struct held_program *held) {
  char text[256];
  return !read_proc(held, "syscall", text, sizeof text) || strtol(text, NULL, 10) != SYS_exit;
}

static uint64_t signals_of(const char *status, const char *name) {
  const char *found = strstr(status, name);
  return found ? strtoull(found + strlen(name), NULL, 16) : 0;
}

/* Of those that somebody sends who wants something of the process, as far as the kernel keeps them. */
static uint64_t pending_signals(const struct held_program *held) {
  static const int others[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH};
  char status[4096];
  read_proc(held, "status", status, sizeof status);
  uint64_t pending = signals_of(status, "\nSigPnd:") | signals_of(status, "\nShdPnd:");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    pending &= ~(UINT64_C(1) << (others[i] - 1));
  return pending;
}

static void keep(struct held_program *held) {
  uint64_t before = pending_signals(held), begin = clock_ns(CLOCK_MONOTONIC);
  while (!atomic_load(&held->is_over) && clock_ns(CLOCK_MONOTONIC) - begin < held->most_ns &&
         !(pending_signals(held) & ~before))
    futex_wait(&held->is_over, 0, LOOK_NS);
}

static void hold_thread(struct held_program *held) {
  int status = 0;
  while (wait_for_stop(held, &status)) {
    if (status >> 16 == PTRACE_EVENT_EXIT)
      break;
    pass_on(held, status);
  }
  if (WIFSTOPPED(status) && is_finished(held) && is_end_of_process(held))
    keep(held);
  report_before(held);
  ptrace(PTRACE_DETACH, held->thread, NULL, NULL); /* nothing is there of one that is gone */
}

static void *wait_for_request(void *data) {
  struct held_program *held = data;
  struct session_shared *shared = &held->session->shared;
  while (atomic_load(&shared->hold) == HOLD_OFFERED)
    futex_wait(&shared->hold, HOLD_OFFERED, UINT64_C(3600000000000));
  held->thread = shared->hold_thread;
  if (held->thread <= 0 || !is_seized(held)) {
    answer(held, HOLD_REFUSED);
    return NULL;
  }
  get_stderr(held, shared->hold_stderr);
  answer(held, atomic_load(&held->line_fd) >= 0 ? HOLD_GRANTED_REPORTED : HOLD_GRANTED);
  hold_thread(held);
  return NULL;
}

void held_program_offer(struct held_program *held, struct session_header *session,
                        const struct application *application, uint32_t timeout_s) {
  pthread_attr_t attributes;
  pthread_t thread;
  held->session = session;
  held->application = application;
  held->most_ns = timeout_s * UINT64_C(1000000000) / HELD_SHARE;
  atomic_store(&held->line_fd, -1);
  if (pthread_attr_init(&attributes) != 0)
    return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  atomic_store(&session->shared.hold, HOLD_OFFERED);
  if (blocked_thread_create(&thread, &attributes, wait_for_request, held) != 0)
    atomic_store(&session->shared.hold, HOLD_REFUSED);
  pthread_attr_destroy(&attributes);
}

void held_program_end(struct held_program *held) {
  char line[CLOSING_LINE_BYTES];
  if (!held->session)
    return;
  closing_line(held->session, atomic_load(&held->session->shared.writer_state) == WRITER_CLOSED, line);
  report(held, line);
  atomic_store(&held->is_over, 1);
  futex_wake_all(&held->is_over);
}
