/* What tools do: each fills the answer from its arguments, whose types have been looked at. */
#ifndef STAVE_CLI_MCP_MCP_RUN_H
#define STAVE_CLI_MCP_MCP_RUN_H

#include "cli/mcp/mcp_answer.h"

typedef void mcp_run(struct mcp_answer *answer, const json_t *arguments);

mcp_run mcp_list_archives;
mcp_run mcp_info, mcp_report, mcp_check, mcp_compare, mcp_query, mcp_record; /* what a command prints */
mcp_run mcp_findings, mcp_explain, mcp_source;                               /* parts of report --json */

enum { MCP_PATH_BYTES = 4096 };

/* An archive's path that no command can read as an option, in ret. */
const char *mcp_path(char ret[MCP_PATH_BYTES], const json_t *path);

#endif
