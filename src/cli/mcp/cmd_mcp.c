/* Messages of JSON-RPC 2.0, one a line, on standard input and output. */
#include "cli/mcp/cmd_mcp.h"

#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/mcp/mcp_tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of JSON-RPC. */
enum {
  PARSE_ERROR = -32700,
  INVALID_REQUEST = -32600,
  METHOD_NOT_FOUND = -32601,
  INVALID_PARAMETERS = -32602
};

enum { OPTION_ALLOW_RECORD = 256 };

struct mcp_request {
  bool may_record;
};

static const struct usage_option options[] = {
    {OPTION_ALLOW_RECORD, "allow-record", NULL, "offer a tool that runs programs and writes archives",
     USAGE_NOTHING, NULL},
    {0},
};

static const char instructions[] =
    "Stave's archives are timelines of OpenMP and MPI programs. Begin with list_archives, then findings: "
    "what "
    "would save wall time, the most first. explain gives the evidence of one and what to change, source the "
    "code there, query answers SQL for what no other tool has. report is an overview, check finds misuse of "
    "OpenMP, compare what changed between runs. Times that a comparison calls noise have not changed.";

/* -- replies -- */

static void reply(json_t *id, const char *member, json_t *value) {
  json_t *message = json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, member, value);
  json_dumpf(message, stdout, JSON_COMPACT);
  putchar('\n');
  fflush(stdout);
  json_decref(message);
}

static void reply_error(json_t *id, int code, const char *text) {
  json_t *unknown = json_null();
  reply(id ? id : unknown, "error", json_pack("{s:i,s:s}", "code", code, "message", text));
}

/* -- methods -- */

/* The client's version if it is known here, else the newest that is. */
static const char *protocol_version(const json_t *parameters) {
  static const char *const known[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
  const char *requested = json_string_value(json_object_get(parameters, "protocolVersion"));
  for (size_t i = 0; requested && i < sizeof known / sizeof *known; i++)
    if (strcmp(requested, known[i]) == 0)
      return known[i];
  return known[0];
}

static json_t *initialize(const json_t *parameters) {
  return json_pack("{s:s,s:{s:{}},s:{s:s,s:s,s:s},s:s}", "protocolVersion", protocol_version(parameters),
                   "capabilities", "tools", "serverInfo", "name", "stave", "title", "Stave", "version",
                   STAVE_VERSION, "instructions", instructions);
}

static void call_tool(const struct mcp_request *request, json_t *id, const json_t *parameters) {
  const char *name = json_string_value(json_object_get(parameters, "name"));
  json_t *result =
      name ? mcp_tools_call(name, json_object_get(parameters, "arguments"), request->may_record) : NULL;
  if (result)
    reply(id, "result", result);
  else
    reply_error(id, INVALID_PARAMETERS, "there is no tool of this name");
}

static void answer(const struct mcp_request *request, json_t *id, const char *method,
                   const json_t *parameters) {
  if (strcmp(method, "initialize") == 0)
    reply(id, "result", initialize(parameters));
  else if (strcmp(method, "ping") == 0)
    reply(id, "result", json_object());
  else if (strcmp(method, "tools/list") == 0)
    reply(id, "result", json_pack("{s:o}", "tools", mcp_tools_list(request->may_record)));
  else if (strcmp(method, "tools/call") == 0)
    call_tool(request, id, parameters);
  else
    reply_error(id, METHOD_NOT_FOUND, "there is no such method");
}

/* Notifications have no id, and no answer; nor have responses, as the client gets no requests. */
static void handle(const struct mcp_request *request, const char *line, size_t length) {
  json_t *message = json_loadb(line, length, 0, NULL);
  json_t *id = json_object_get(message, "id");
  const char *method = json_string_value(json_object_get(message, "method"));
  bool is_response = json_object_get(message, "result") || json_object_get(message, "error");
  if (!message)
    reply_error(NULL, PARSE_ERROR, "this is no JSON");
  else if (!json_is_object(message) || (!method && !is_response) ||
           (id && !json_is_string(id) && !json_is_integer(id)))
    reply_error(NULL, INVALID_REQUEST, "this is no request");
  else if (id && method)
    answer(request, id, method, json_object_get(message, "params"));
  json_decref(message);
}

static int serve(const struct mcp_request *request) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  bool is_written = true;
  while (is_written && (length = getline(&line, &capacity, stdin)) >= 0) {
    if (line[strspn(line, " \t\r\n")] != '\0' || length == 0 || memchr(line, '\0', (size_t)length))
      handle(request, line, (size_t)length);
    is_written = message_output_is_complete();
  }
  if (is_written && !feof(stdin))
    message_print("cannot read standard input: %s", strerror(errno));
  free(line);
  return is_written && feof(stdin) ? EXIT_SUCCESS : EXIT_FAILED;
}

/* -- how it is called -- */

static bool set_option(void *data, int option, const char *value) {
  struct mcp_request *request = data;
  (void)value;
  request->may_record |= option == OPTION_ALLOW_RECORD;
  return true;
}

const struct usage *cmd_mcp_usage(void) {
  static const struct usage usage = {
      .command = "mcp",
      .summary = "serve assistants that analyse archives",
      .synopsis = "[--allow-record]",
      .about =
          "A server of the Model Context Protocol on standard input and output, which an assistant's "
          "settings start as \"stave mcp\". Its tools list archives, report, explain findings with their "
          "source lines, check, compare and answer SQL. None of them writes to archives or runs programs "
          "unless --allow-record is given.",
      .status =
          "Exit status: 0 when standard input ends; 1 if it cannot be read or the output not be written; "
          "2 if an option is wrong.",
      .options = options,
      .set = set_option,
  };
  return &usage;
}

int cmd_mcp(int argc, char **argv) {
  struct mcp_request request = {0};
  int status = usage_read(cmd_mcp_usage(), argc, argv, &request);
  return status >= 0 ? status : serve(&request);
}
