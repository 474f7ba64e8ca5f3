#include "cli/mcp/mcp_child.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 80, ERRORS_MAX = 4096, PIECE = 65536 };

/* One of its streams. */
struct child_stream {
  int fd; /* below 0: it has ended */
  char *text;
  size_t length, capacity, most;
  bool is_cut;
};

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In a group of its own: what it starts ends with it. */
_Noreturn static void exec_stave(const char *const *arguments, const int output[2], const int errors[2]) {
  const char *all[ARGUMENTS_MAX + 2] = {"stave"};
  for (size_t i = 0; i < ARGUMENTS_MAX && arguments[i]; i++)
    all[i + 1] = arguments[i];
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output[1], STDOUT_FILENO);
  dup2(errors[1], STDERR_FILENO);
  execv("/proc/self/exe", (char *const *)all);
  _exit(127);
}

static void close_stream(struct child_stream *stream) {
  if (stream->fd >= 0)
    close(stream->fd);
  stream->fd = -1;
}

static void read_stream(struct child_stream *stream) {
  array_reserve(&stream->text, &stream->capacity, stream->length + PIECE, 1);
  ssize_t count = read(stream->fd, stream->text + stream->length, PIECE);
  if (count < 0 && errno == EINTR)
    return;
  if (count <= 0)
    close_stream(stream);
  else
    stream->length += (size_t)count;
  stream->is_cut = stream->length > stream->most;
  stream->length = stream->is_cut ? stream->most : stream->length;
}

/* Until both have ended, there is enough of the first, or it is too late. */
static bool read_both(struct child_stream streams[2], int limit_s) {
  int64_t end_ms = now_ms() + (int64_t)limit_s * 1000;
  while ((streams[0].fd >= 0 || streams[1].fd >= 0) && !streams[0].is_cut) {
    struct pollfd polled[2] = {{streams[0].fd, POLLIN, 0}, {streams[1].fd, POLLIN, 0}};
    int64_t left_ms = end_ms - now_ms();
    if (left_ms <= 0)
      return false;
    if (poll(polled, 2, (int)left_ms) < 0 && errno != EINTR)
      return false;
    for (int i = 0; i < 2; i++)
      if (streams[i].fd >= 0 && polled[i].revents)
        read_stream(&streams[i]);
  }
  return true;
}

static char *finish(struct child_stream *stream) {
  close_stream(stream);
  array_reserve(&stream->text, &stream->capacity, stream->length + 1, 1);
  stream->text[stream->length] = '\0';
  return stream->text;
}

static int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pid_t start(const char *const *arguments, struct child_stream streams[2]) {
  int output[2], errors[2];
  if (pipe2(output, O_CLOEXEC) < 0)
    return -1;
  if (pipe2(errors, O_CLOEXEC) < 0) {
    close(output[0]);
    close(output[1]);
    return -1;
  }
  pid_t pid = fork();
  if (pid == 0)
    exec_stave(arguments, output, errors);
  close(output[1]);
  close(errors[1]);
  streams[0].fd = output[0];
  streams[1].fd = errors[0];
  return pid;
}

void mcp_child_run(struct mcp_child *ret, const char *const *arguments, size_t most, int limit_s) {
  struct child_stream streams[2] = {{.fd = -1, .most = most}, {.fd = -1, .most = ERRORS_MAX}};
  pid_t pid = start(arguments, streams);
  *ret = (struct mcp_child){.status = -1};
  if (pid > 0) {
    ret->is_too_late = !read_both(streams, limit_s);
    if (ret->is_too_late || streams[0].is_cut)
      kill(-pid, SIGKILL);
    ret->status = wait_for(pid);
  }
  ret->is_cut = streams[0].is_cut;
  ret->length = streams[0].length;
  ret->output = finish(&streams[0]);
  ret->errors = finish(&streams[1]);
}

void mcp_child_free(struct mcp_child *child) {
  free(child->output);
  free(child->errors);
}
