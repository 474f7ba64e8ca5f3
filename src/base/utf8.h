/* Texts that come from a program, and names in an archive, may hold any bytes; what is made of them must be
 * valid UTF-8 (RFC 3629). What is written to an archive keeps its length: `?` represents a byte there. */
#ifndef STAVE_BASE_UTF8_H
#define STAVE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* What represents a byte that belongs to no character: U+FFFD. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* The bytes of the character that `text` begins with (1 to 4), or 0 if its first byte begins none: overlong
 * forms, surrogates and what lies above U+10FFFF are none. Reads no further than the first byte that does not
 * fit. */
size_t utf8_sequence(const char *text);

/* A copy of `text` in which U+FFFD replaces each byte that belongs to no character. The caller frees it. */
char *utf8_clean(const char *text);

/* Whether all of it is UTF-8. */
bool utf8_is_valid(const char *text);

/* Replaces each byte that belongs to no character by '?'. */
void utf8_make_valid(char *text);

/* A copy on which utf8_make_valid was called. The caller frees it. */
char *utf8_valid_copy(const char *text);

#endif
