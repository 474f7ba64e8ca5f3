/* What all parts of the tool share: its state, the thread's own, and lines on stderr. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "session/stderr_line.h"
#include "tool/thread.h"
#include "tool/tool.h"

struct tool tool = {.session_fd = -1, .writer_pidfd = -1};

/* Never written to but by callbacks that fail for its limit, which stays 0. */
struct thread thread_none;

_Thread_local struct thread *thread_self = &thread_none;

int tool_forbid_cancellation(void) {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

void tool_allow_cancellation(int before) {
  pthread_setcancelstate(before, &(int){0});
}

/* Who finds another thread's new session by this finds all of it. */
bool tool_is_forked_child(void) {
  return tool.fork_mark && atomic_load_explicit(tool.fork_mark, memory_order_acquire) == 0;
}

bool tool_is_stopped(void) {
  return atomic_load_explicit(&tool.recording, memory_order_relaxed) != RECORDING_ON ||
         atomic_load_explicit(&tool.session->shared.stop_recording, memory_order_relaxed);
}

void tool_log(const char *format, ...) {
  if (tool.is_mute)
    return;
  char line[CONFIG_TEXT_BYTES + 512] = "stave: ";
  size_t start = strlen(line);
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(line + start, sizeof line - start - 1, format, arguments);
  va_end(arguments);
  size_t length = start + (n < 0 ? 0 : (size_t)n);
  length = length > sizeof line - 2 ? sizeof line - 2 : length;
  for (char *c = line; c < line + length; c++)
    *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c; /* names could drive a terminal */
  line[length] = '\n';
  stderr_line_write(line, length + 1, STDERR_PATIENCE_MS);
}

#ifdef __GLIBC__
extern const char *describe_error(int error) __asm__("strerrordesc_np") __attribute__((weak));

/* strerror(3) translates, by files that it reads under a lock. */
const char *tool_error_text(int error, char *number) {
  const char *text = describe_error ? describe_error(error) : NULL;
  snprintf(number, TOOL_ERROR_BYTES, "error %d", error);
  return text ? text : number;
}
#else
const char *tool_error_text(int error, char *number) {
  (void)number;
  return strerror(error);
}
#endif
