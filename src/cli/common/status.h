/* What the writers of a recording show about themselves.
 *
 * A FIFO in a private directory; its path is in STAVE_STATUS while the program runs. Each stave-writer holds
 * it open for writing as long as it lives and writes lines of text, each with one write() of at most PIPE_BUF
 * bytes:
 *
 *   archive PID PATH                   the archive is open; PID is the traced process, in lines of a writer
 *                                      PID/WRITER, its process: a program that another one replaces
 *                                      (exec) has the same PID, and both are traced for a moment
 *   stopped PID WHY                    recording ended before the program did
 *   ending PID                         the program, or recording it, has ended: the writer encodes the rest
 *   closed PID KEY=N ... ending=TEXT   the archive is closed; TEXT goes to the end of the line
 *   kept PID                           no archive is open (STAVE_KEEP): each that is written has the first
 *                                      and the third of these lines
 *   undumped PID WHY                   one could not be written
 *   removed PID PATH                   one that was written is gone, as others are needed more
 *   over PID ENDING                    no more will come
 *   withdrawn PID                      nobody waited: the program runs untraced, and nothing is left
 *   failed PID MESSAGE                 this process cannot be traced, or its archive not be closed
 *   moved PID PROGRAM: RUNTIME         a program of gcc's runs on this runtime
 *   stayed PID PROGRAM: WHY            ... or on its own
 *   renamed PID PATH                   the path was there: its archive has a number after its name
 *
 * KEYs: threads, events, records, lost, duration_ns, bytes, regions, added. Unknown keys and lines are
 * skipped. */
#ifndef STAVE_CLI_COMMON_STATUS_H
#define STAVE_CLI_COMMON_STATUS_H

#include "cli/common/lines.h"
#include "cli/common/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum archive_state {
  ARCHIVE_OPEN, /* if still so at the end: its writer died */
  ARCHIVE_CLOSED,
  ARCHIVE_FAILED,
  ARCHIVE_KEPT,     /* none was written, but for those that have entries of their own */
  ARCHIVE_UNDUMPED, /* of what was kept */
};

/* One traced process. Strings are owned and may be NULL. */
struct archive_status {
  pid_t pid, writer; /* writer 0: not known */
  enum archive_state state;
  char *path;
  char *text;       /* how the program ended, or why tracing failed */
  char *stopped;    /* why recording ended before the program; NULL: it did not */
  bool is_over;     /* nothing more will come of what was kept */
  bool is_ending;   /* the writer knows that it has ended */
  bool is_awaited;  /* stave record waits until it is closed, should its process have ended */
  bool goes_on;     /* the process, after the recording's program has ended, which nobody waits for */
  char *program;    /* its name, where it goes on */
  bool is_reported; /* elsewhere: it is in a merged archive */
  uint64_t threads, events, records, lost, duration_ns, bytes, regions, added;
};

struct status {
  int read_fd;  /* readable when status_read has something to do; -1: not open */
  int write_fd; /* held by stave while the program runs, so that the last writer's going is no end of file
                 * yet */
  bool at_end;  /* no writer is left */
  struct archive_status *archives;
  size_t count, capacity;
  struct string_list moved, stayed; /* programs, each once */
  struct string_list renamed;       /* paths, each once */
  struct lines lines;
};

/* Makes the FIFO at `path` and opens it. Returns 0, or a negative errno; status_close in both cases. */
int status_open(struct status *ret, const char *path);

/* Reads what is there. Never blocks. Sets at_end. */
void status_read(struct status *status);

/* The program has ended: from now on at_end is set when the last writer has. */
void status_expect_end(struct status *status);

/* Closes and frees. The FIFO stays for its directory's owner to remove. */
void status_close(struct status *status);

#endif
