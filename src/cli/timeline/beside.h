/* Several runs beside each other, as one archive for as long as it is looked at. */
#ifndef STAVE_CLI_TIMELINE_BESIDE_H
#define STAVE_CLI_TIMELINE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

#include "cli/timeline/align.h"

struct beside {
  char folder[PATH_MAX / 2]; /* in which it is; "": none */
  char archive[PATH_MAX];    /* its path */
  char *names[SIDES_MAX];    /* of the runs, no two alike */
  size_t count;              /* of the runs */
};

/* Puts the archives, or jobs' directories, at `paths`, from 2 to SIDES_MAX, beside each other; `align` gets
 * the instants at which they are aligned. The archive goes with the next ending_go_on. Returns false after a
 * message; beside_free in every case. */
bool beside_make(struct beside *ret, char *const *paths, size_t count, struct align *align);

void beside_free(struct beside *beside);

/* What an archive or a job is called: the directory that holds it; of another tool's anchor file, that file's
 * name. The caller's to free. */
char *beside_name(const char *path);

#endif
