#include "session/near.h"

#include <string.h>

enum { WORD_MAX = 32, WRONG_SHARE = 3 /* one of so many characters may be wrong */ };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* How many characters have to be replaced, put in or left out. Both are at most WORD_MAX long. */
static size_t distance(const char *text, size_t length, const char *word) {
  size_t row[WORD_MAX + 1], other = strlen(word);
  for (size_t j = 0; j <= other; j++)
    row[j] = j;
  for (size_t i = 1; i <= length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= other; j++) {
      size_t replaced = diagonal + (text[i - 1] != word[j - 1]);
      diagonal = row[j];
      row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
    }
  }
  return row[other];
}

const char *near_word_of(const char *text, size_t length,
                         const char *(*word)(const void *context, size_t number), const void *context) {
  const char *nearest = NULL, *next;
  size_t fewest = length / WRONG_SHARE + 2;
  for (size_t i = 0; length <= WORD_MAX && (next = word(context, i)) != NULL; i++) {
    size_t most = (length > strlen(next) ? length : strlen(next)) / WRONG_SHARE + 1;
    size_t wrong = strlen(next) <= WORD_MAX ? distance(text, length, next) : fewest;
    if (wrong < fewest && wrong <= most && wrong < length) {
      fewest = wrong;
      nearest = next;
    }
  }
  return nearest;
}

struct word_list {
  const char *(*word)(size_t number);
};

static const char *word_at(const void *context, size_t number) {
  return ((const struct word_list *)context)->word(number);
}

const char *near_word(const char *text, size_t length, const char *(*word)(size_t number)) {
  return near_word_of(text, length, word_at, &(struct word_list){word});
}
