/* stave query: questions to an archive in SQL. */
#ifndef STAVE_CLI_QUERY_CMD_QUERY_H
#define STAVE_CLI_QUERY_CMD_QUERY_H

#include "cli/common/usage.h"

const struct usage *cmd_query_usage(void);
int cmd_query(int argc, char **argv);

#endif
