#include "tool/wait_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/stderr_line.h"
#include "tool/tool.h"

enum { FIRST_NS = 2000000000, NEXT_NS = 500000000, WIDTH = 64 };

/* Else the terminal is another's to draw on. What is no device is not queried: filters of system calls may
 * end who does. */
static bool is_in_foreground(void) {
  struct stat status;
  return fstat(STDERR_FILENO, &status) == 0 && S_ISCHR(status.st_mode) &&
         tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* Fills the line, and so needs no command to erase what it was. */
static void show(const char *text) {
  char line[WIDTH + 4];
  int length = snprintf(line, sizeof line, "\r%-*.*s\r", WIDTH, WIDTH, text);
  stderr_line_write(line, (size_t)length, STDERR_PATIENCE_MS);
}

void wait_line_begin(struct wait_line *line, uint64_t now_ns) {
  bool may_show = tool.constants.config.verbose > 0 && tool.session->shared.rank <= 0 && !tool.is_mute;
  *line = (struct wait_line){.due_ns = may_show ? now_ns + FIRST_NS : 0};
}

void wait_line_look(struct wait_line *line, uint64_t now_ns) {
  char text[WIDTH + 1];
  if (line->due_ns == 0 || now_ns < line->due_ns)
    return;
  line->due_ns = now_ns + NEXT_NS;
  if (!is_in_foreground())
    return;
  uint64_t waiting = atomic_load(&tool.session->shared.records_waiting);
  if (waiting > 0)
    snprintf(text, sizeof text, "stave: %" PRIu64 " records are still to be written", waiting);
  else
    snprintf(text, sizeof text, "stave: the archive is being completed");
  show(text);
  line->is_shown = true;
}

void wait_line_end(const struct wait_line *line) {
  if (line->is_shown)
    show("");
}
