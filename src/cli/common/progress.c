#include "cli/common/progress.h"

#include "cli/common/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress_show(const char *format, ...) {
  va_list arguments;
  if (!terminal_can_erase(STDERR_FILENO))
    return;
  fputs("\r\033[Kstave: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
}

void progress_clear(void) {
  if (terminal_can_erase(STDERR_FILENO))
    fputs("\r\033[K", stderr);
}
