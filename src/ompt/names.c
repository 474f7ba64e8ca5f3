#include "ompt/names.h"

#include <stdio.h>

#define KEY(enumeration, value) ((uint64_t)(enumeration) << 32 | (uint32_t)(value))

const char *ompt_name(enum ompt_enumeration enumeration, uint32_t value) {
  switch (KEY(enumeration, value)) {
#define VALUE(enumeration, id, number, text, name, since)                                                    \
  case KEY(OMPT_##enumeration, number):                                                                      \
    return text;
#include "ompt/enumerations.def"
  default:
    return NULL;
  }
}

void ompt_flags(enum ompt_enumeration enumeration, uint32_t flags, char *text, size_t size) {
  size_t used = 0;
  uint32_t unnamed = 0;
  *text = '\0';
  for (uint32_t left = flags; left; left &= left - 1) {
    uint32_t bit = left & -left;
    const char *name = ompt_name(enumeration, bit);
    if (name && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    unnamed |= name ? 0 : bit;
  }
  if (unnamed && used < size)
    snprintf(text + used, size - used, "%sflags 0x%x", used ? ", " : "", unnamed);
}
