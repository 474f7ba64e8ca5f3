/* `stave mcp`: a server of the Model Context Protocol, by which assistants request what is in archives. */
#ifndef STAVE_CLI_MCP_CMD_MCP_H
#define STAVE_CLI_MCP_CMD_MCP_H

#include "cli/common/usage.h"

const struct usage *cmd_mcp_usage(void);
int cmd_mcp(int argc, char **argv);

#endif
