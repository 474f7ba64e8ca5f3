/* The tools of `stave mcp`. */
#ifndef STAVE_CLI_MCP_MCP_TOOLS_H
#define STAVE_CLI_MCP_MCP_TOOLS_H

#include "cli/common/json.h"

#include <stdbool.h>

/* An array of the tools, as tools/list has it: the caller's to release. */
json_t *mcp_tools_list(bool may_record);

/* What tools/call answers, the caller's to release; NULL: there is no such tool. */
json_t *mcp_tools_call(const char *name, const json_t *arguments, bool may_record);

#endif
