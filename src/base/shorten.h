/* Texts cut to a width, in characters of UTF-8; a byte that belongs to none counts as one. */
#ifndef STAVE_BASE_SHORTEN_H
#define STAVE_BASE_SHORTEN_H

#include <stddef.h>

/* How many characters its first `bytes` bytes have; it may be shorter. */
size_t shorten_width(const char *text, size_t bytes);

/* Writes `text` into `buffer`, with at most `width` characters (at least 5): of a longer one ".." represents
 * the middle. A place in the source or the code at its end, " @file.c:12", stays complete if it fits, and
 * otherwise its own end; of a function after it, " in f", less is left. Cuts to `size` bytes (at least 1)
 * too, and always terminates. Returns buffer. */
char *shorten_middle(char *buffer, size_t size, const char *text, size_t width);

#endif
