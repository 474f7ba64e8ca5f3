#include "cli/common/message.h"

#include "cli/common/ending.h"

#include "base/utf8.h"
#include "cli/common/terminal.h"
#include "session/stderr_line.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 8192 };

/* Bytes of the character to print as it is; 0: the first byte is to be written as a number. U+0080 to U+009F
 * drive terminals too, and so do these bytes alone. */
static size_t printable(const char *text) {
  size_t length = utf8_sequence(text);
  bool is_control =
      length == 1 ? iscntrl((unsigned char)*text) : length == 2 && strncmp(text, "\xc2\xa0", 2) < 0;
  return is_control ? 0 : length;
}

char *message_escape(char *buffer, size_t size, const char *text) {
  size_t used = 0;
  while (*text != '\0') {
    char piece[8];
    size_t length_printable = printable(text);
    int length = length_printable > 0 ? snprintf(piece, sizeof piece, "%.*s", (int)length_printable, text)
                                      : snprintf(piece, sizeof piece, "\\x%02x", (unsigned char)*text);
    if (used + (size_t)length >= size)
      break;
    memcpy(buffer + used, piece, (size_t)length);
    used += (size_t)length;
    text += length_printable > 0 ? length_printable : 1;
  }
  buffer[used] = '\0';
  return buffer;
}

static bool is_plain_word(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

char *message_shell_word(char *buffer, size_t size, const char *text) {
  if (is_plain_word(text)) {
    snprintf(buffer, size, "%s", text);
    return buffer;
  }
  size_t used = (size_t)snprintf(buffer, size, "'");
  for (; *text != '\0' && used + 6 < size; text++) {
    const char quote[] = "'\\''"; /* close, an escaped quote, open again */
    const char one[2] = {*text, '\0'};
    used += (size_t)snprintf(buffer + used, size - used, "%s", *text == '\'' ? quote : one);
  }
  snprintf(buffer + used, size - used, "'");
  return buffer;
}

char *message_path_word(char *buffer, size_t size, const char *path) {
  bool is_like_option = *path == '-';
  size_t used = is_like_option ? (size_t)snprintf(buffer, size, "./") : 0;
  message_shell_word(buffer + used, size - used, path);
  return buffer;
}

static int patience_ms = STDERR_WAITS;

void message_wait_no_longer_than(int milliseconds) {
  patience_ms = milliseconds;
}

void message_print(const char *format, ...) {
  int saved_errno = errno;
  char text[MESSAGE_BYTES], safe[MESSAGE_BYTES], line[MESSAGE_BYTES + 32];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  message_escape(safe, sizeof safe, text);
  bool colour = terminal_has_colour(STDERR_FILENO);
  int length =
      snprintf(line, sizeof line, "%sstave:%s %s\n", colour ? "\033[1m" : "", colour ? "\033[0m" : "", safe);
  stderr_line_write(line, (size_t)length, patience_ms);
  errno = saved_errno;
}

_Noreturn void message_end_by_pipe(void) {
  ending_remove();
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &pipe_signal, NULL);
  raise(SIGPIPE);
  _exit(EXIT_FAILURE);
}

bool message_output_is_complete(void) {
  static bool is_reported; /* a command may look before main does */
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return true;
  if (is_reported)
    return false;
  is_reported = true;
  if (errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1) /* else it states why an earlier one failed */
    errno = 0;
  if (errno == EPIPE)
    message_end_by_pipe();
  message_print("cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
  return false;
}
