/* Work on files that may be damaged, in a process of its own: OTF2's readers may crash or read without
 * end. */
#ifndef STAVE_TRACE_GUARD_H
#define STAVE_TRACE_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Shared by the worker, which counts, and its guard, which looks on. */
struct guard_progress {
  _Atomic uint64_t done;   /* anything that grows while there is progress */
  _Atomic uint64_t total;  /* what done will be at the end; 0: unknown */
  _Atomic bool is_waiting; /* for another process, as a writer to a pipe does: without a limit */
};

enum guard_ending {
  GUARD_RETURNED, /* the work returned a value */
  GUARD_CRASHED,  /* a signal ended it: its number is the value */
  GUARD_STUCK,    /* no progress: it was killed */
  GUARD_FAILED,   /* it could not be started: the value is an errno */
};

struct guard_result {
  enum guard_ending ending;
  int value;
};

/* How to look on. */
struct guard_watch {
  unsigned patience_ms; /* without any progress, until the worker is killed */
  /* every 200 ms; or NULL */
  void (*look)(void *data, const struct guard_progress *progress, uint64_t elapsed_ms);
  void *data;
  /* called as often; true: nobody needs the result, and the worker is killed; or NULL */
  bool (*is_cancelled)(void);
};

/* Runs `work` in a child, which has the caller's memory and open files as they are now and gives back only
 * the value (0..255) and what it wrote. Waits for it. Call with stdio buffers empty, from a process with one
 * thread. */
struct guard_result guard_run(int (*work)(void *data, struct guard_progress *progress), void *data,
                              const struct guard_watch *watch);

#endif
