/* What a terminal shows while the program waits for its archive. */
#ifndef STAVE_TOOL_WAIT_LINE_H
#define STAVE_TOOL_WAIT_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct wait_line {
  uint64_t due_ns; /* CLOCK_MONOTONIC; 0: nothing is to be shown */
  bool is_shown;
};

/* The wait begins now. */
void wait_line_begin(struct wait_line *line, uint64_t now_ns);

/* After 2 s and then twice a second: how many records are still to be written. Not where stderr is no
 * terminal, or one on which another process group is in the foreground. */
void wait_line_look(struct wait_line *line, uint64_t now_ns);

/* Erases it. */
void wait_line_end(const struct wait_line *line);

#endif
