#ifndef STAVE_CLI_MERGE_CMD_MERGE_H
#define STAVE_CLI_MERGE_CMD_MERGE_H

#include "cli/common/usage.h"

int cmd_merge(int argc, char **argv);
const struct usage *cmd_merge_usage(void);

#endif
