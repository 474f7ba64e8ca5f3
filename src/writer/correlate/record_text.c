#include "writer/correlate/record_text.h"

#include <string.h>

#include "base/utf8.h"
#include "writer/correlate/correlate.h"

void record_read_text(const struct correlator *c, unsigned more, uint64_t bytes, char *text, size_t size) {
  uint64_t most = (uint64_t)more * RECORD_BYTES;
  bytes = bytes < most ? bytes : most;
  bytes = bytes < size - 1 ? bytes : size - 1;
  memcpy(text, c->words, bytes);
  text[bytes] = '\0';
  utf8_make_valid(text);
}
