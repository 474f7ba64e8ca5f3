/* Which instants of several runs are at the same time where they are drawn beside each other. */
#ifndef STAVE_CLI_TIMELINE_ALIGN_H
#define STAVE_CLI_TIMELINE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/sides.h"

/* All zero: where the runs begin. */
struct align {
  const char *region;              /* where that is entered; NULL: at the times */
  uint64_t instance;               /* for the how manieth time, from 1 on */
  uint64_t instants_ns[SIDES_MAX]; /* since the runs' beginnings */
  size_t count;                    /* of the times that were given; 0: none was */
  char name[512];                  /* the region's */
};

/* Reads what --align needs: "start", a time for each run with commas in between, or a region's name, which
 * may end in
 * "#" and a number. Returns false after usage_error. */
bool align_read(struct align *ret, const char *text);

/* Finds the region's instants in an archive that has the runs beside each other, aligned where they begin.
 * Returns false after a message. */
bool align_find(struct align *align, const char *path);

#endif
