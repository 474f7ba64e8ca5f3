/* `stave scale`: runs a program with several numbers of threads and processes, traces it, and reports how it
 * scales. */
#ifndef STAVE_CLI_SCALE_CMD_SCALE_H
#define STAVE_CLI_SCALE_CMD_SCALE_H

#include "cli/common/usage.h"

const struct usage *cmd_scale_usage(void);
int cmd_scale(int argc, char **argv);

#endif
