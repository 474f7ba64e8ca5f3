/* Which known word somebody may have meant. */
#ifndef STAVE_SESSION_NEAR_H
#define STAVE_SESSION_NEAR_H

#include <stddef.h>

/* The word nearest to the first `length` characters of `text`, if few of them are wrong; else NULL. `word`
 * gives one after another, from 0 on, and NULL after the last. */
const char *near_word(const char *text, size_t length, const char *(*word)(size_t number));

/* The same for words of which `context` knows. */
const char *near_word_of(const char *text, size_t length,
                         const char *(*word)(const void *context, size_t number), const void *context);

#endif
