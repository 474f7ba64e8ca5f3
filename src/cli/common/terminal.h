/* What a person's terminal can do. */
#ifndef STAVE_CLI_COMMON_TERMINAL_H
#define STAVE_CLI_COMMON_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* True if the descriptor is a terminal that shows colours and bold: one of a type (TERM) other than dumb,
 * unless NO_COLOR has a value (no-color.org). */
bool terminal_has_colour(int fd);

/* True if a line that was written there can be written over. */
bool terminal_can_erase(int fd);

/* The columns of the terminal that standard output is: COLUMNS if that is set, else what the terminal
 * reports, else 80; at least 40. 0: it is no terminal, and lines may have any length. */
size_t terminal_width(void);

#endif
