/* One run of `stave scale`: a `stave record` of the program. */
#ifndef STAVE_CLI_SCALE_SCALE_CHILD_H
#define STAVE_CLI_SCALE_SCALE_CHILD_H

#include "cli/scale/scale_plan.h"

struct scale_command {
  char **program;       /* and its arguments; NULL at the end */
  const char *launcher; /* words in front of the number of ranks: "mpirun -n" */
  const char *counters; /* NULL: none */
};

/* Runs the program; its standard output goes into a file beside the archive. Returns an exit status, not
 * EXIT_SUCCESS after a message. */
int scale_child_run(const struct scale_command *command, const struct scale_run *run);

#endif
