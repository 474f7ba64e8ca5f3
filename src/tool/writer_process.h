/* Starting stave-writer out of somebody else's process, unseen. */
#ifndef STAVE_TOOL_WRITER_PROCESS_H
#define STAVE_TOOL_WRITER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct session_header;

struct writer_process {
  /* given by the caller; all descriptors stay the caller's and must be at least 10 */
  const char *path;
  int session_fd; /* the session memory */
  void *session;  /* where it is mapped, and its size: children do not have it */
  size_t session_bytes;
  int application_fd; /* a pidfd of this process, or -1 */
  bool needs_reaper;  /* see reaper.h */
  /* result */
  int pidfd;    /* the writer's, the caller's to close; -1: the kernel has none */
  pid_t reaper; /* its parent, which ends when it does, the caller's to collect; 0: none */
};

/* Whether valgrind is running this program. */
bool runs_on_valgrind(void);

/* What it waits for, as text after "made no progress": for the disk, or stopped by a signal; else "". */
const char *writer_process_waits(const struct session_header *session);

/* Starts the writer. The application does not see it: it is not its child afterwards, nor does wait() return
 * the reaper, no SIGCHLD comes, no wait() returns it, no descriptor is left in it. Returns 0 once it has been
 * exec'ed, or a negative errno of clone or exec. */
int writer_process_start(struct writer_process *process);

/* Finds the stave-writer to start: `configured` (STAVE_WRITER) if not empty, else beside this library, in the
 * build tree, or in its installation, by the path that the library was loaded from and by the file that this
 * leads to; then where it was to be installed. Returns 0 and the path in `path`, or -ENOENT with the last
 * place tried in it. */
int writer_process_find(const char *configured, char *path, unsigned size);

#endif
