/* `stave record --watch`: a process beside the program that serves the page of its run (live.h). */
#ifndef STAVE_CLI_RECORD_VIEWER_H
#define STAVE_CLI_RECORD_VIEWER_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/common/status.h"
#include "cli/record/child.h"

struct viewer {
  bool is_requested;
  bool is_settled; /* what is watched, or that nothing is */
  pid_t pid;       /* 0: none */
  pid_t writer;    /* of what is watched */
};

/* Starts it once there is an archive, the first one of the recording; of one that is closed already it only
 * makes the finished page. */
void viewer_look(struct viewer *viewer, const struct status *status, const struct child *child);

/* Whether nobody waits for the end of what is watched. */
bool viewer_shows_one_that_goes_on(const struct viewer *viewer, const struct status *status);

/* Whether it has still to be waited for. It ends with the run, when it has made the finished page;
 * `is_requested`: somebody needs it to end now. Blocks only where is_requested is true. */
bool viewer_is_busy(struct viewer *viewer, bool is_requested);

#endif
