/* Texts that come from the program. */
#ifndef STAVE_BASE_TEXT_H
#define STAVE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether all of it is UTF-8 (RFC 3629), as readers of archives take for granted. */
bool text_is_valid(const char *text);

/* Replaces each byte that is no part of a UTF-8 character by '?'. */
void text_make_valid(char *text);

/* A copy on which text_make_valid was called. The caller frees it. */
char *text_valid_copy(const char *text);

#endif
