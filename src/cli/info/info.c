#include "cli/info/info.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompt/names.h"

const char *info_property(const struct info *info, const char *name) {
  char property[128];
  snprintf(property, sizeof property, "STAVE::%s", name);
  return trace_archive_property(info->trace, property);
}

uint64_t info_number(const struct info *info, const char *name) {
  const char *text = info_property(info, name);
  return text ? strtoull(text, NULL, 10) : 0;
}

const char *info_callback_name(unsigned number) {
  return ompt_name(OMPT_CALLBACK, number);
}

void info_each_property(const struct info *info, const char *prefix,
                        void (*each)(void *data, const char *rest, const char *value), void *data) {
  char start[128];
  size_t length = (size_t)snprintf(start, sizeof start, "STAVE::%s::", prefix);
  for (size_t i = 0; i < info->trace->archive_property_count; i++) {
    const struct trace_archive_property *property = &info->trace->archive_properties[i];
    if (strncmp(property->name, start, length) == 0)
      each(data, property->name + length, property->value);
  }
}

const char *info_record_name(char buffer[64], const char *rest) {
  size_t length = 0;
  for (; length < 63 && rest[length] != '\0'; length++)
    buffer[length] = (char)tolower((unsigned char)rest[length]);
  buffer[length] = '\0';
  return buffer;
}
