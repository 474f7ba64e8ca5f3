#include "cli/live/cmd_watch.h"

#include "cli/common/times.h"
#include "cli/common/usage.h"
#include "cli/live/live.h"

#include <string.h>

enum { PORT_MAX = 65535 };

/* Long options that have no letter. */
enum { OPTION_LAST = 256 };

static const struct usage_option options[] = {
    {'o', "output", "FILE", "the finished page, .html; default DIRECTORY.html", USAGE_FILE, NULL},
    {OPTION_LAST, "last", "TIME", "how much of the run's end is always in view: 30s, 500ms; default 10s",
     USAGE_NOTHING, NULL},
    {'p', "port", "N", "serve at this port; default any that is free", USAGE_NOTHING, NULL},
    {0},
};

static bool set_option(void *data, int option, const char *value) {
  struct live_request *request = data;
  size_t length = strlen(value);
  if (option == OPTION_LAST)
    return times_read("watch", "--last", value, &request->last_ns) &&
           (request->last_ns > 0 || usage_error("watch", "--last requires a time above 0"));
  if (option == 'p')
    return usage_number("watch", "--port", value, 1, PORT_MAX, &request->port);
  request->output = value;
  return (length > strlen(".html") && strcmp(value + length - strlen(".html"), ".html") == 0) ||
         usage_error("watch", "the output's name has to end in .html, not as %s", value);
}

const struct usage *cmd_watch_usage(void) {
  static const struct usage usage = {
      .command = "watch",
      .summary = "show the last seconds of a run while it goes on, in a browser",
      .synopsis = "[options] DIRECTORY",
      .about =
          "Serves a page of the last seconds of the run that writes its archive into DIRECTORY, on this "
          "machine only, and prints its address, which nobody can guess. The page renews itself. When "
          "the run is over, it becomes that of the entire run, which is written to a file, too; then stave "
          "watch ends. The run and its files are not changed.",
      .status = "Exit status: 0; 1 if nothing writes there, or the writer died; 2 if an option is wrong.",
      .options = options,
      .argument = "directory",
      .argument_kind = USAGE_DIRECTORY,
      .set = set_option,
  };
  return &usage;
}

int cmd_watch(int argc, char **argv) {
  struct live_request request = {.last_ns = WATCH_LAST_NS};
  int status = usage_read(cmd_watch_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  request.path = argv[optind];
  return live_run(&request);
}
