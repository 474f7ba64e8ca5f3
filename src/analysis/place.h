/* What lies at a path: an archive that can be opened, one that is still being written, or something else.
 * OTF2 itself cannot tell, and may never come back from an archive that was not closed. */
#ifndef STAVE_ANALYSIS_PLACE_H
#define STAVE_ANALYSIS_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum place_state {
  PLACE_CLOSED, /* an archive that its writer has closed */
  /* it was closed, but one of its files is none: a FIFO, a device, for which OTF2 would wait */
  PLACE_BROKEN,
  PLACE_OPEN,       /* a stave-writer is still writing it */
  PLACE_UNFINISHED, /* it was not closed, and nobody writes it */
  PLACE_NO_ARCHIVE, /* there is something else */
  PLACE_ABSENT,     /* there is nothing, or it cannot be looked at: error tells */
};

struct place {
  enum place_state state;
  char directory[PATH_MAX]; /* what holds the anchor file */
  char anchor[PATH_MAX];    /* the anchor file: .../traces.otf2 */
  char events[PATH_MAX];    /* the directory of the event files: .../traces */
  bool is_recoverable;      /* of PLACE_UNFINISHED: there is a recovery file */
  bool is_locked;           /* by its writer */
  pid_t writer;             /* of PLACE_OPEN; 0: a process that cannot be seen from here */
  uint64_t event_bytes;     /* in the event files */
  uint64_t bytes;           /* in all files of the archive */
  size_t event_files;
  int error;             /* errno of PLACE_ABSENT */
  char broken[PATH_MAX]; /* of PLACE_BROKEN: what is no file */
};

/* Looks at `path`: the directory of an archive, or its anchor file. */
void place_find(struct place *ret, const char *path);

#endif
