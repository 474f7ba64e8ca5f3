/* Serving the page of a run that goes on, until it is over and its finished page is there. */
#ifndef STAVE_CLI_LIVE_LIVE_H
#define STAVE_CLI_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct live_request {
  const char *path;   /* of the archive that is being written */
  const char *output; /* where the finished page goes; NULL: the archive's directory with .html */
  uint64_t last_ns;   /* how much of the run's end is always in view */
  uint64_t port;      /* 0: any */
  bool is_of_record;  /* what the terminal sends is for the program: the run's end is waited for */
};

/* Returns the exit status; or does not return: dies by the signal that requested its end. */
int live_run(const struct live_request *request);

#endif
