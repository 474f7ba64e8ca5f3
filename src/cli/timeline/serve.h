/* `stave timeline --serve`: the page of an archive of any size, with all details of whatever is zoomed to. */
#ifndef STAVE_CLI_TIMELINE_SERVE_H
#define STAVE_CLI_TIMELINE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct serve_request {
  const char *path, *title;
  uint64_t port;        /* 0: any */
  bool has_no_findings; /* on the page */
};

/* Makes the file of details (detail.h) if the cache has none, and serves until a signal ends it. Returns the
 * exit status, or does not return: dies by that signal. */
int serve_run(const struct serve_request *request);

#endif
