#include "base/text.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

static bool is_continuation(unsigned char byte) {
  return (byte & 0xc0) == 0x80;
}

/* The bytes of the character that begins here; 0: none does. The shortest form only, and no surrogates. */
static size_t character(const unsigned char *text) {
  if (text[0] < 0x80)
    return 1;
  if (text[0] >= 0xc2 && text[0] <= 0xdf)
    return is_continuation(text[1]) ? 2 : 0;
  if (text[0] >= 0xe0 && text[0] <= 0xef) {
    bool is_in_range = (text[0] != 0xe0 || text[1] >= 0xa0) && (text[0] != 0xed || text[1] <= 0x9f);
    return is_in_range && is_continuation(text[1]) && is_continuation(text[2]) ? 3 : 0;
  }
  if (text[0] >= 0xf0 && text[0] <= 0xf4) {
    bool is_in_range = (text[0] != 0xf0 || text[1] >= 0x90) && (text[0] != 0xf4 || text[1] <= 0x8f);
    return is_in_range && is_continuation(text[1]) && is_continuation(text[2]) && is_continuation(text[3])
               ? 4
               : 0;
  }
  return 0;
}

bool text_is_valid(const char *text) {
  const unsigned char *byte = (const unsigned char *)text;
  for (size_t bytes; *byte; byte += bytes)
    if ((bytes = character(byte)) == 0)
      return false;
  return true;
}

void text_make_valid(char *text) {
  unsigned char *byte = (unsigned char *)text;
  for (size_t bytes; *byte; byte += bytes ? bytes : 1)
    if ((bytes = character(byte)) == 0)
      *byte = '?';
}

char *text_valid_copy(const char *text) {
  char *copy = strcpy(memory_get(strlen(text) + 1, 1), text);
  text_make_valid(copy);
  return copy;
}
