/* `stave watch`: the page of a run that goes on. */
#ifndef STAVE_CLI_LIVE_CMD_WATCH_H
#define STAVE_CLI_LIVE_CMD_WATCH_H

#include <stdint.h>

struct usage;

/* What is always in view where nothing else is requested. */
#define WATCH_LAST_NS UINT64_C(10000000000)

/* argv[0] is "watch". Returns stave's exit status. */
int cmd_watch(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_watch_usage(void);

#endif
