#include "cli/live/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { BACKLOG = 16, NEWS_MAX = 1 << 16, FILE_BYTES = 1 << 16, RETRY_MS = 500 };

struct server_connection {
  int fd;
  char head[REQUEST_HEAD_MAX + 1];
  size_t head_bytes;
  bool is_requested; /* the head is there, and answered */
  bool is_listener;  /* of news: stays */
  bool is_done;      /* it sends no further request, and may still wait for an answer */
  char *out;         /* what is still to be sent */
  size_t out_bytes, out_done;
  int file; /* what comes after it; -1: nothing */
  off_t file_done;
};

/* -- begin and end -- */

static int make_token(char token[TOKEN_DIGITS + 1]) {
  unsigned char bytes[TOKEN_DIGITS / 2];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return -EIO;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return 0;
}

static int listen_at(struct server *server, unsigned port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t bytes = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (server->fd < 0)
    return -errno;
  setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(server->fd, (struct sockaddr *)&address, bytes) < 0 || listen(server->fd, BACKLOG) < 0 ||
      getsockname(server->fd, (struct sockaddr *)&address, &bytes) < 0)
    return -errno;
  server->port = ntohs(address.sin_port);
  return 0;
}

int server_open(struct server *ret, unsigned port, const struct server_source *source) {
  *ret = (struct server){.fd = -1, .source = *source};
  int error = make_token(ret->token);
  return error ? error : listen_at(ret, port);
}

static void drop(struct server *server, size_t i) {
  struct server_connection *connection = server->connections[i];
  if (!connection)
    return;
  close(connection->fd);
  if (connection->file >= 0)
    close(connection->file);
  free(connection->out);
  free(connection);
  server->connections[i] = NULL;
}

void server_close(struct server *server) {
  for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
    drop(server, i);
  if (server->fd >= 0)
    close(server->fd);
  server->fd = -1;
}

/* -- answers -- */

static void put_bytes(struct server_connection *connection, char *bytes, size_t count) {
  connection->out = bytes;
  connection->out_bytes = count;
  connection->out_done = 0;
}

static void put(struct server_connection *connection, char *text) {
  put_bytes(connection, text, strlen(text));
}

/* The head states that nothing is to be kept, framed, guessed or reported to others; the token is in the
 * address. */
static char *make_head(int status, const char *reason, const char *type, int64_t length) {
  char bytes[64] = "";
  if (length >= 0)
    snprintf(bytes, sizeof bytes, "Content-Length: %" PRId64 "\r\n", length);
  return memory_print("HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\n%s"
                      "Connection: close\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: SAMEORIGIN\r\n"
                      "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
                      status, reason, type, bytes);
}

static void answer_text(struct server_connection *connection, int status, const char *reason,
                        const char *type, const char *text) {
  char *head = make_head(status, reason, type, (int64_t)strlen(text));
  put(connection, memory_print("%s%s", head, text));
  free(head);
}

static void answer_page(const struct server *server, struct server_connection *connection) {
  char *page = server->source.page(server->source.data);
  answer_text(connection, 200, "OK", "text/html", page);
  free(page);
}

static char *news_line(const struct server *server) {
  char *news = server->source.news(server->source.data), *line = memory_print("data: %s\n\n", news);
  free(news);
  return line;
}

static void answer_news(const struct server *server, struct server_connection *connection) {
  char *head = make_head(200, "OK", "text/event-stream", -1), *line = news_line(server);
  connection->is_listener = true;
  put(connection, memory_print("%sretry: %d\n%s", head, RETRY_MS, line));
  free(head);
  free(line);
}

static void answer_picture(const struct server *server, struct server_connection *connection,
                           const char *path) {
  unsigned number;
  char beyond;
  struct stat status;
  bool is_one = sscanf(path, "picture-%u%c", &number, &beyond) == 1;
  connection->file = is_one ? server->source.picture(server->source.data, number) : -1;
  if (connection->file >= 0 && fstat(connection->file, &status) == 0)
    put(connection, make_head(200, "OK", "text/html", status.st_size));
  else
    answer_text(connection, 404, "Not Found", "text/plain", "This is not there, or not any more.\n");
}

static void answer_bytes(const struct server *server, struct server_connection *connection,
                         const char *path) {
  size_t count = 0;
  char *bytes = server->source.bytes(server->source.data, path, &count);
  if (!bytes) {
    answer_text(connection, 404, "Not Found", "text/plain", "This is not there.\n");
    return;
  }
  char *head = make_head(200, "OK", *path ? "application/octet-stream" : "text/html", (int64_t)count);
  size_t length = strlen(head);
  char *response = memory_get(length + count, 1);
  memcpy(response, head, length);
  memcpy(response + length, bytes, count);
  free(head);
  free(bytes);
  put_bytes(connection, response, length + count);
}

static void answer(const struct server *server, struct server_connection *connection) {
  char path[REQUEST_PATH_BYTES];
  connection->is_requested = true;
  switch (request_judge(connection->head, server->token, server->port, path)) {
  case REQUEST_OK:
    break;
  case REQUEST_FORBIDDEN:
    answer_text(
        connection, 403, "Forbidden", "text/plain",
        "The address is not complete, or not that of this machine: use the one that stave has printed.\n");
    return;
  case REQUEST_NOT_ALLOWED:
    answer_text(connection, 405, "Method Not Allowed", "text/plain", "Only GET is known.\n");
    return;
  case REQUEST_BAD:
    answer_text(connection, 400, "Bad Request", "text/plain", "This is no request of HTTP/1.1.\n");
    return;
  }
  if (server->source.bytes)
    answer_bytes(server, connection, path);
  else if (*path == '\0')
    answer_page(server, connection);
  else if (strcmp(path, "news") == 0)
    answer_news(server, connection);
  else
    answer_picture(server, connection, path);
}

/* -- connections: each of these returns false if it is over -- */

static bool is_busy(const struct server_connection *connection) {
  return connection->out_done < connection->out_bytes || connection->file >= 0;
}

static bool receive(const struct server *server, struct server_connection *connection) {
  char ignored[512], *to = connection->is_requested ? ignored : connection->head + connection->head_bytes;
  size_t room = connection->is_requested ? sizeof ignored : REQUEST_HEAD_MAX - connection->head_bytes;
  ssize_t count = recv(connection->fd, to, room, 0);
  if (count < 0)
    return errno == EAGAIN || errno == EINTR;
  connection->is_done |= count == 0;
  if (connection->is_done)
    return connection->is_requested && !connection->is_listener && is_busy(connection);
  if (connection->is_requested)
    return true;
  connection->head_bytes += (size_t)count;
  connection->head[connection->head_bytes] = '\0';
  if (request_is_complete(connection->head, connection->head_bytes))
    answer(server, connection);
  return connection->is_requested || connection->head_bytes < REQUEST_HEAD_MAX;
}

static bool can_wait(ssize_t sent) {
  return sent < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Not sendfile(2): it has no MSG_NOSIGNAL, and who has closed its end must not end this process. */
static ssize_t send_of_file(struct server_connection *connection) {
  char bytes[FILE_BYTES];
  ssize_t count = pread(connection->file, bytes, sizeof bytes, connection->file_done), sent = count;
  if (count > 0)
    sent = send(connection->fd, bytes, (size_t)count, MSG_NOSIGNAL);
  connection->file_done += sent > 0 ? sent : 0;
  if (count == 0) {
    close(connection->file);
    connection->file = -1;
  }
  return sent;
}

static ssize_t send_text(struct server_connection *connection) {
  ssize_t sent = send(connection->fd, connection->out + connection->out_done,
                      connection->out_bytes - connection->out_done, MSG_NOSIGNAL);
  connection->out_done += sent > 0 ? (size_t)sent : 0;
  return sent;
}

static bool send_some(struct server_connection *connection) {
  bool is_text = connection->out_done < connection->out_bytes;
  ssize_t sent = is_text ? send_text(connection) : send_of_file(connection);
  return (sent >= 0 || can_wait(sent)) && (is_busy(connection) || connection->is_listener);
}

/* Where there are too many connections, one without a request is closed. */
static void accept_clients(struct server *server) {
  int fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  size_t place = SERVER_CONNECTIONS_MAX;
  for (size_t i = SERVER_CONNECTIONS_MAX; fd >= 0 && i-- > 0;)
    if (!server->connections[i])
      place = i;
  for (size_t i = SERVER_CONNECTIONS_MAX; place == SERVER_CONNECTIONS_MAX && fd >= 0 && i-- > 0;)
    if (!server->connections[i]->is_requested) {
      drop(server, i);
      place = i;
    }
  if (fd < 0 || place == SERVER_CONNECTIONS_MAX) {
    if (fd >= 0)
      close(fd);
    return;
  }
  struct server_connection *connection = memory_get(1, sizeof *connection);
  connection->fd = fd;
  connection->file = -1;
  server->connections[place] = connection;
}

static void attend(struct server *server, size_t i, short events) {
  struct server_connection *connection = server->connections[i];
  bool goes_on = true;
  if (events & (POLLIN | POLLHUP | POLLERR))
    goes_on = receive(server, connection);
  if (goes_on && (events & POLLOUT))
    goes_on = send_some(connection);
  if (!goes_on)
    drop(server, i);
}

static short awaited(const struct server_connection *connection) {
  return (short)((connection->is_done ? 0 : POLLIN) | (is_busy(connection) ? POLLOUT : 0));
}

void server_serve(struct server *server, int timeout_ms, const sigset_t *mask) {
  struct pollfd fds[SERVER_CONNECTIONS_MAX + 1] = {{.fd = server->fd, .events = POLLIN}};
  struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++) {
    const struct server_connection *connection = server->connections[i];
    fds[i + 1].fd = connection ? connection->fd : -1;
    fds[i + 1].events = connection ? awaited(connection) : 0;
  }
  if (ppoll(fds, SERVER_CONNECTIONS_MAX + 1, &timeout, mask) <= 0)
    return;
  for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
    if (server->connections[i] && fds[i + 1].revents)
      attend(server, i, fds[i + 1].revents);
  if (fds[0].revents)
    accept_clients(server);
}

/* -- news -- */

/* After what has not been sent yet. A browser that reads nothing for long gets the last ones only with its
 * next request. */
static void add_news(struct server_connection *connection, const char *line) {
  size_t left = connection->out_bytes - connection->out_done;
  if (left > NEWS_MAX)
    return;
  char *sent = connection->out;
  put(connection, memory_print("%.*s%s", (int)left, sent + connection->out_done, line));
  free(sent);
}

void server_notify(struct server *server) {
  char *line = news_line(server);
  for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
    if (server->connections[i] && server->connections[i]->is_listener)
      add_news(server->connections[i], line);
  free(line);
}

size_t server_listeners(const struct server *server) {
  size_t count = 0;
  for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
    count += server->connections[i] && server->connections[i]->is_listener;
  return count;
}
