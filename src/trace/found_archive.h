/* What lies at a path: an archive that can be opened, one that is still being written, or something else.
 * OTF2 itself cannot find out, and may never come back from an archive that was not closed. */
#ifndef STAVE_TRACE_FOUND_ARCHIVE_H
#define STAVE_TRACE_FOUND_ARCHIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum found_state {
  FOUND_CLOSED, /* an archive that its writer has closed */
  /* it was closed, but one of its files is none: a FIFO, a device, for which OTF2 would wait; or its anchor
   * is not what OTF2 can be given (anchor.h) */
  FOUND_BROKEN,
  FOUND_OPEN,       /* a stave-writer is still writing it */
  FOUND_UNFINISHED, /* it was not closed, and nobody writes it */
  FOUND_NO_ARCHIVE, /* there is something else */
  FOUND_ABSENT,     /* there is nothing, or it cannot be looked at: error has the reason */
};

struct found_archive {
  enum found_state state;
  char directory[PATH_MAX]; /* what holds the anchor file */
  char anchor[PATH_MAX];    /* the anchor file: .../traces.otf2 */
  char events[PATH_MAX];    /* the directory of the event files: .../traces */
  bool is_recoverable;      /* of FOUND_UNFINISHED: there is a recovery file */
  bool is_locked;           /* by its writer */
  pid_t writer;             /* of FOUND_OPEN; 0: a process that cannot be seen from here */
  uint64_t event_bytes;     /* in the event files */
  uint64_t bytes;           /* in all files of the archive */
  size_t event_files;
  int error;             /* errno of FOUND_ABSENT */
  char broken[PATH_MAX]; /* of FOUND_BROKEN: which file is wrong */
  const char *wrong;     /* and why: constant memory */
};

/* Looks at `path`: the directory of an archive, or its anchor file. */
void find_archive(struct found_archive *ret, const char *path);

/* Whether `path` is the directory of a job: it has a folder rank, with an archive for each rank. */
bool found_is_job(const char *path);

#endif
