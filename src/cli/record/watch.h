/* Which processes of a recording are not traced though they use OpenMP: on a runtime of gcc's own, which
 * reports to nobody, or with an environment in which Stave's library is not named any more (env -i, scripts).
 * Their memory maps are looked at now and then. */
#ifndef STAVE_CLI_RECORD_WATCH_H
#define STAVE_CLI_RECORD_WATCH_H

#include "cli/common/string_list.h"
#include "cli/record/plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* A process from one exec to the next. */
struct watch_life {
  pid_t pid;
  uint64_t started, stack; /* when, and where its stack was then */
};

struct watch {
  pid_t root;
  bool is_verbose;               /* report immediately what is found */
  int pause_ms;                  /* until the next look */
  struct timespec next;          /* CLOCK_MONOTONIC */
  const char *tool;              /* the path of libstave.so */
  struct string_list found;      /* "PROGRAM\nLIBRARY" */
  struct string_list unattached; /* the same, of those that Stave's library was not named to */
  struct watch_life *traced;     /* in which nothing can be found any more */
  size_t traced_count, traced_capacity;
};

/* Looks at `root` and its descendants from now on. `tool` is Stave's library, and stays the caller's. */
void watch_start(struct watch *ret, pid_t root, const char *tool, bool is_verbose);

/* Looks if it is time, and returns after how many milliseconds it will be again (look_pause.h). What runs for
 * a shorter time may not be seen. */
int watch_look(struct watch *watch);

/* Reports what was found, and how it can be traced. True if something was. */
bool watch_report(const struct watch *watch, const struct plan *plan);

/* Frees what is inside. Accepts a zeroed struct. */
void watch_clear(struct watch *watch);

#endif
