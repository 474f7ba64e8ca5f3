/* A browser's request to the server of `stave watch`: one of HTTP/1.1 (RFC 9112), of which only the first
 * line and Host matter. */
#ifndef STAVE_CLI_LIVE_REQUEST_H
#define STAVE_CLI_LIVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_HEAD_MAX = 8192, REQUEST_PATH_BYTES = 96, TOKEN_DIGITS = 32 };

enum request_answer {
  REQUEST_OK = 200,
  REQUEST_BAD = 400,
  REQUEST_FORBIDDEN = 403,
  REQUEST_NOT_ALLOWED = 405, /* no GET */
};

/* Whether the `bytes` so far hold the entire head. */
bool request_is_complete(const char *bytes, size_t count);

/* Judges an entire head, which it changes. The address has to be /TOKEN/PATH, and Host what the server is
 * called on this machine with `port`: a page of another site whose name has come to mean this machine (DNS
 * rebinding) sends its own. With REQUEST_OK, PATH is in ret_path, perhaps empty. */
enum request_answer request_judge(char *head, const char *token, unsigned port,
                                  char ret_path[REQUEST_PATH_BYTES]);

#endif
