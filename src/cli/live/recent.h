/* A page of the last part of a run that goes on. */
#ifndef STAVE_CLI_LIVE_RECENT_H
#define STAVE_CLI_LIVE_RECENT_H

#include <stdint.h>

struct recent {
  const char *directory; /* of the archive that is being written */
  const char *title;
  const char *scratch; /* a path where an archive may be made; it is gone afterwards */
  const char *page;    /* the page's; there when it is complete */
  uint64_t last_ns;    /* how much of the run's end is to be on it */
};

/* Makes the page, in a process of its own: priority and limits are this one's. Returns EXIT_SUCCESS or
 * EXIT_FAILED after a line on stderr. */
int recent_make(const struct recent *recent);

#endif
