/* The process that waits for the writer where nobody else would.
 *
 * A process whose parent has ended belongs to process 1, which in a container often is a program that waits
 * only for its own children: each writer would stay there as a zombie. A child of the application's own would
 * be seen by its wait(), since exec makes its end send SIGCHLD. So a fork of the application stays, whose end
 * sends no signal and which no wait() without __WCLONE returns: it waits for the writer, and the application
 * for it when it has closed the archive. What is killed leaves both to process 1. */
#ifndef STAVE_TOOL_REAPER_H
#define STAVE_TOOL_REAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether process 1 has one thread, which neither blocks, ignores nor catches SIGCHLD, and this process is
 * small enough to be forked. */
bool reaper_is_needed(void);

/* What the fork reports, once, when it has nothing of the application's any more. */
struct reaper_word {
  int fd;
  const void *text; /* on the stack, as this struct is */
  size_t bytes;
};

/* In the fork, whose child the writer is, signals blocked: gives up the memory that it has of the
 * application's, reports that, waits for the writer, and ends. */
_Noreturn void reaper_stay(const struct reaper_word *word);

/* Waits for the fork, which ends as the writer does, no longer than `wait_ms`; 0: it is not there. */
void reaper_collect(pid_t reaper, int wait_ms);

#endif
