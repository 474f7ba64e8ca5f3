#include "base/utf8.h"

#include <string.h>

#include "base/memory.h"

/* The Unicode standard, table 3-7: which second bytes may follow a first one. */
static bool is_second(unsigned char first, unsigned char second) {
  unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

static size_t length_by_first(unsigned char first) {
  if (first < 0xc2 || first > 0xf4)
    return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static size_t sequence(const unsigned char *bytes) {
  size_t length = length_by_first(bytes[0]);
  if (length == 0 || !is_second(bytes[0], bytes[1]))
    return 0;
  for (size_t i = 2; i < length; i++)
    if (bytes[i] < 0x80 || bytes[i] > 0xbf)
      return 0;
  return length;
}

size_t utf8_sequence(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  return bytes[0] < 0x80 ? 1 : sequence(bytes); /* nearly all are ASCII */
}

char *utf8_clean(const char *text) {
  const size_t replacement = strlen(UTF8_REPLACEMENT);
  char *clean = memory_resize(NULL, strlen(text) + 1, replacement), *end = clean;
  while (*text) {
    size_t length = utf8_sequence(text);
    memcpy(end, length ? text : UTF8_REPLACEMENT, length ? length : replacement);
    end += length ? length : replacement;
    text += length ? length : 1;
  }
  *end = '\0';
  return clean;
}

bool utf8_is_valid(const char *text) {
  for (size_t length; *text; text += length)
    if ((length = utf8_sequence(text)) == 0)
      return false;
  return true;
}

void utf8_make_valid(char *text) {
  for (size_t length; *text; text += length ? length : 1)
    if ((length = utf8_sequence(text)) == 0)
      *text = '?';
}

char *utf8_valid_copy(const char *text) {
  char *copy = memory_text(text);
  utf8_make_valid(copy);
  return copy;
}
