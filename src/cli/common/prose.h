/* Sentences in lines that can be read: as wide as the terminal, but not too wide, and broken between words.
 */
#ifndef STAVE_CLI_COMMON_PROSE_H
#define STAVE_CLI_COMMON_PROSE_H

#include <stddef.h>

/* The columns of a line of prose on standard output: the terminal's, at most 110; 110 where there is none. */
size_t prose_width(void);

/* How many bytes of `text` go on a line of `width` columns, without the space after them: up to the end of a
 * word. At least one word, unless the text is empty. */
size_t prose_line(const char *text, size_t width);

/* Prints the text on standard output, after `column` columns that the line has already, and ends the line.
 * The lines that follow begin with `indent` spaces. Control characters are written as \xNN. */
void prose_print(size_t column, size_t indent, const char *text);

/* The same in lines of at most `width` columns. */
void prose_print_within(size_t width, size_t column, size_t indent, const char *text);

/* The same, but off a terminal it stays one line, for programs that look for what is in it. */
void prose_print_fact(size_t column, size_t indent, const char *text);

/* A line of its own, after `indent` spaces, likewise. */
void prose_printf(size_t indent, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
