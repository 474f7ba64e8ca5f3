/* The text that a tool answers with. */
#ifndef STAVE_CLI_MCP_MCP_ANSWER_H
#define STAVE_CLI_MCP_MCP_ANSWER_H

#include "cli/common/json.h"

#include <stdbool.h>
#include <stddef.h>

/* An answer ends there, and reports it: it has to fit beside others into what an assistant can read. */
enum { MCP_ANSWER_BYTES = 12000 };

struct mcp_answer {
  char text[MCP_ANSWER_BYTES];
  size_t length;
  bool is_error, is_cut;
};

/* Appends; what does not fit is cut. */
void mcp_answer_add(struct mcp_answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The answer is that it could not be done. */
void mcp_answer_fail(struct mcp_answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A tool's result in the protocol's form: the caller's to release. */
json_t *mcp_answer_result(struct mcp_answer *answer);

#endif
