/* The traced process as seen from outside: whether it still is what it was, and how it ended. */
#ifndef STAVE_WRITER_KERNEL_APPLICATION_H
#define STAVE_WRITER_KERNEL_APPLICATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "session/layout.h"

struct application {
  pid_t pid;
  int pidfd;      /* -1: the kernel has none; then the process table is queried */
  int session_fd; /* the process holds a lock on it, until it execs */
  uint64_t session_device, session_inode;
  uint64_t checked_ns; /* when its memory map was last looked at */
  bool has_execed;     /* which stays so, whoever looks first */
  enum clock_kind clock;
  struct session_header *session;
  _Atomic uint64_t died_ticks; /* 0: not yet, or nobody watches */
  uint64_t ran_ticks;          /* when it was last found to run; 0: it was not */
};

enum application_end {
  APPLICATION_RUNS,
  APPLICATION_DIED,
  APPLICATION_EXECED, /* it lives on as another program */
};

/* Descriptors as inherited from the tool; they stay open with the process. session_fd is the session
 * memory's. */
void application_open(struct application *application, pid_t pid, int pidfd, int session_fd);

/* Notes when the process dies, and wakes who sleeps in session_writer_sleep. Needs a pidfd and a thread:
 * where one of them is not to be had, application_died_ticks is the time of its call. Call once;
 * `application` and the session have to last as long as the process. */
void application_watch(struct application *application, struct session_header *session,
                       enum clock_kind clock);

/* When the process has died, in ticks of the session's clock. Of a watched process it is later than the death
 * by the wake-up of a thread at most; else it is now. */
uint64_t application_died_ticks(const struct application *application);

/* Queries without waiting. Cheap: one or two system calls. */
enum application_end application_check(struct application *application);

/* The process's command line, as the kernel has it: the arguments, each with a zero after it, as much as
 * fits. Returns its bytes, at most size - 1; there is a zero after them. */
size_t application_command_line(const struct application *application, char *line, size_t size);

/* The same quoted so that a shell would read it back; as much as fits. */
void application_quote(const char *line, size_t bytes, char *text, size_t size);

/* How a process that has died ended, as far as it can still be found out: its parent may have collected it
 * already. `text` becomes "exit status 3", "killed by signal 11 (Segmentation fault)" or "ended, status
 * unknown". Returns the exit status, or INT64_MIN where there is none. */
int64_t application_ending(const struct application *application, char *text, unsigned size);

#endif
