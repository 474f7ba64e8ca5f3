/* Another stave, whose output a tool's answer is made of: what goes wrong there harms no server. */
#ifndef STAVE_CLI_MCP_MCP_CHILD_H
#define STAVE_CLI_MCP_MCP_CHILD_H

#include <stdbool.h>
#include <stddef.h>

struct mcp_child {
  char *output;     /* standard output, terminated; the caller's to free */
  char *errors;     /* standard error, likewise */
  size_t length;    /* of output */
  int status;       /* exit status; below 0: it was ended by a signal */
  bool is_cut;      /* there was more than `most` bytes */
  bool is_too_late; /* it was ended since it ran too long */
};

/* Runs this program's own file with these arguments, which NULL ends, for at most `limit_s` seconds, until it
 * ends or has printed more than `most` bytes. Its standard input is empty. Without memory the command ends.
 */
void mcp_child_run(struct mcp_child *ret, const char *const *arguments, size_t most, int limit_s);

void mcp_child_free(struct mcp_child *child);

#endif
