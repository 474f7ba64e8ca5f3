/* What Stave's own processes report in lines of words, such as "result events=12 lost=0": put together from
 * the bytes of a pipe, and taken apart. Nothing in them is trusted. */
#ifndef STAVE_CLI_COMMON_LINES_H
#define STAVE_CLI_COMMON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The line that is not complete yet. All zero at first. */
struct lines {
  char text[8192];
  size_t used;
  bool is_too_long; /* then it is passed over */
};

/* Calls `each` with each line that the bytes complete, without its newline; it may change the line. */
void lines_read(struct lines *lines, const char *bytes, size_t count, void (*each)(void *data, char *line),
                void *data);

/* Where the number of a KEY goes. */
struct line_slot {
  const char *key;
  uint64_t *slot;
};

/* Reads "KEY=N KEY=N ... LAST=TEXT" into the slots; other keys and words are passed over. Returns the text of
 * `last`, which goes to the end of the line; NULL if it is not there. Changes the line. */
const char *lines_read_pairs(char *line, const struct line_slot *slots, size_t count, const char *last);

#endif
