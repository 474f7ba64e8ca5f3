#include "cli/live/request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool request_is_complete(const char *bytes, size_t count) {
  return memmem(bytes, count, "\r\n\r\n", 4) || memmem(bytes, count, "\n\n", 2);
}

/* Its duration does not depend on where they differ, so the token cannot be guessed digit by digit. */
static bool is_token(const char *text, const char *token) {
  unsigned difference = 0;
  if (strlen(text) < TOKEN_DIGITS)
    return false;
  for (size_t i = 0; i < TOKEN_DIGITS; i++)
    difference |= (unsigned char)(text[i] ^ token[i]);
  return difference == 0;
}

static bool is_own_name(const char *host, unsigned port) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  char own[32];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(own, sizeof own, "%s:%u", names[i], port);
    if (strcasecmp(host, own) == 0)
      return true;
  }
  return false;
}

/* The line without blanks at its ends. */
static char *trim(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r", text[length - 1]))
    text[--length] = '\0';
  return text;
}

/* Reports whether there is one Host, and it is ours. */
static bool has_own_host(char *fields, unsigned port) {
  static const char name[] = "Host:";
  int hosts = 0, own = 0;
  for (char *line; (line = strsep(&fields, "\n"));)
    if (strncasecmp(line, name, strlen(name)) == 0) {
      hosts++;
      own += is_own_name(trim(line + strlen(name)), port);
    }
  return hosts == 1 && own == 1;
}

enum request_answer request_judge(char *head, const char *token, unsigned port,
                                  char ret_path[REQUEST_PATH_BYTES]) {
  char *fields = head, *line = trim(strsep(&fields, "\n"));
  char *method = strsep(&line, " "), *target = strsep(&line, " ");
  if (!target || !line || strncmp(line, "HTTP/1.", strlen("HTTP/1.")) != 0 || !fields)
    return REQUEST_BAD;
  bool is_known = *target == '/' && is_token(target + 1, token) && target[1 + TOKEN_DIGITS] == '/';
  if (!has_own_host(fields, port) || !is_known)
    return REQUEST_FORBIDDEN;
  int length = snprintf(ret_path, REQUEST_PATH_BYTES, "%s", target + 1 + TOKEN_DIGITS + 1);
  if (length >= REQUEST_PATH_BYTES)
    return REQUEST_BAD;
  return strcmp(method, "GET") == 0 ? REQUEST_OK : REQUEST_NOT_ALLOWED;
}
