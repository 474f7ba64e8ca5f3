/* Which processes of a recording use an OpenMP runtime of gcc's own: libgomp reports to nobody, so their
 * memory maps are looked at now and then. */
#ifndef STAVE_CLI_RECORD_WATCH_H
#define STAVE_CLI_RECORD_WATCH_H

#include "cli/common/string_list.h"
#include "cli/record/plan.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct watch {
  pid_t root;
  bool is_verbose;          /* say at once what is found */
  int pause_ms;             /* until the next look */
  struct timespec next;     /* CLOCK_MONOTONIC */
  struct string_list found; /* "PROGRAM\nLIBRARY" */
};

/* Looks at `root` and its descendants from now on. */
void watch_start(struct watch *ret, pid_t root, bool is_verbose);

/* Looks if it is time, and returns after how many milliseconds it will be again: 10 at first, each time
 * longer, up to five seconds. What runs for a shorter time may not be seen. */
int watch_look(struct watch *watch);

/* Says what was found, and how it can be traced. True if something was. */
bool watch_report(const struct watch *watch, const struct plan *plan);

/* Frees what is inside. Accepts a zeroed struct. */
void watch_clear(struct watch *watch);

#endif
