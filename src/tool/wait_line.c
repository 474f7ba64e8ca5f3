#include "tool/wait_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "session/stderr_line.h"
#include "tool/tool.h"

enum { FIRST_NS = 2000000000, NEXT_NS = 500000000, WIDTH = 64 };

/* The terminal is another's to draw on else. */
static bool is_in_foreground(void) {
  return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* Fills the line, and so needs no command to erase what it was. */
static void show(const char *text) {
  char line[WIDTH + 4];
  int length = snprintf(line, sizeof line, "\r%-*.*s\r", WIDTH, WIDTH, text);
  stderr_line_write(line, (size_t)length, STDERR_PATIENCE_MS);
}

void wait_line_begin(struct wait_line *line, uint64_t now_ns) {
  bool may_show = tool.constants.config.verbose > 0 && tool.session->shared.rank <= 0 && !tool.is_mute &&
                  is_in_foreground();
  *line = (struct wait_line){.due_ns = may_show ? now_ns + FIRST_NS : 0};
}

void wait_line_look(struct wait_line *line, uint64_t now_ns) {
  char text[WIDTH + 1];
  if (line->due_ns == 0 || now_ns < line->due_ns)
    return;
  uint64_t waiting = atomic_load(&tool.session->shared.records_waiting);
  if (waiting > 0)
    snprintf(text, sizeof text, "stave: %.1f million records are still to be written", (double)waiting / 1e6);
  else
    snprintf(text, sizeof text, "stave: the archive is being completed");
  show(text);
  line->due_ns = now_ns + NEXT_NS;
  line->is_shown = true;
}

void wait_line_end(const struct wait_line *line) {
  if (line->is_shown)
    show("");
}
