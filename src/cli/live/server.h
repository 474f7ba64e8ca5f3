/* The server of `stave watch` and `stave timeline --serve`: one thread, GET, this machine only. A request
 * needs the token that is in the address. A connection is for one answer, but for news (text/event-stream),
 * which goes on. */
#ifndef STAVE_CLI_LIVE_SERVER_H
#define STAVE_CLI_LIVE_SERVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/live/request.h"

enum { SERVER_CONNECTIONS_MAX = 64 };

struct server_connection;

/* Where what is requested comes from; `data` is handed on. */
struct server_source {
  char *(*page)(void *data);                   /* the page itself: to be freed */
  char *(*news)(void *data);                   /* one line of JSON: to be freed */
  int (*picture)(void *data, unsigned number); /* opens the page of a picture; -1: it is not there */
  /* Instead of all these: the bytes at a path, "" for the page; NULL: nothing is there. To be freed. */
  char *(*bytes)(void *data, const char *path, size_t *ret_count);
  void *data;
};

struct server {
  int fd;
  unsigned port;
  char token[TOKEN_DIGITS + 1];
  struct server_source source;
  struct server_connection *connections[SERVER_CONNECTIONS_MAX];
};

/* Listens on 127.0.0.1 at `port`, 0: any. Returns 0 or a negative errno. server_close in every case. */
int server_open(struct server *ret, unsigned port, const struct server_source *source);
void server_close(struct server *server);

/* Serves for at most so many ms, until there was something to do or a signal came that `mask` lets through.
 */
void server_serve(struct server *server, int timeout_ms, const sigset_t *mask);

/* Sends the news to all who listen. */
void server_notify(struct server *server);

size_t server_listeners(const struct server *server);

#endif
