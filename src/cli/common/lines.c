#include "cli/common/lines.h"

#include <stdlib.h>
#include <string.h>

void lines_read(struct lines *lines, const char *bytes, size_t count, void (*each)(void *data, char *line),
                void *data) {
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] != '\n') {
      lines->is_too_long |= lines->used + 1 == sizeof lines->text;
      if (!lines->is_too_long)
        lines->text[lines->used++] = bytes[i];
      continue;
    }
    lines->text[lines->used] = '\0';
    if (!lines->is_too_long)
      each(data, lines->text);
    lines->used = 0;
    lines->is_too_long = false;
  }
}

static void set_number(const struct line_slot *slots, size_t count, const char *key, const char *value) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(slots[i].key, key) == 0)
      *slots[i].slot = strtoull(value, NULL, 10);
}

const char *lines_read_pairs(char *line, const struct line_slot *slots, size_t count, const char *last) {
  size_t length = strlen(last);
  while (line && *line != '\0') {
    if (strncmp(line, last, length) == 0 && line[length] == '=')
      return line + length + 1;
    char *key = strsep(&line, " "), *value = strchr(key, '=');
    if (!value)
      continue;
    *value++ = '\0';
    set_number(slots, count, key, value);
  }
  return NULL;
}
