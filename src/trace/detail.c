#include "trace/detail.h"

#include <stdlib.h>
#include <string.h>

static const char separator[] = ", ";

static bool is_word(const char *text, size_t length) {
  static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789_ ";
  return length > 0 && strspn(text, characters) >= length;
}

/* The separator before the last `length` characters' own last part; NULL: there is none. */
static const char *last_separator(const char *text, size_t length) {
  size_t width = strlen(separator);
  for (size_t i = length; i >= width; i--)
    if (memcmp(text + i - width, separator, width) == 0)
      return text + i - width;
  return NULL;
}

bool detail_has(const struct trace_region *region, const char *word) {
  const char *text = region->description;
  bool has_place = strstr(region->name, " @") != NULL;
  for (size_t length = strlen(text); length > 0;) {
    const char *before = last_separator(text, length);
    const char *last = before ? before + strlen(separator) : text;
    size_t last_length = length - (size_t)(last - text);
    if (!is_word(last, last_length) || (!before && has_place))
      return false;
    if (last_length == strlen(word) && memcmp(last, word, last_length) == 0)
      return true;
    length = before ? (size_t)(before - text) : 0;
  }
  return false;
}

size_t detail_function_length(const struct trace_region *region) {
  const char *text = region->description, *before;
  size_t length = strstr(region->name, " @") ? strlen(text) : 0;
  while (length > 0 && (before = last_separator(text, length))) {
    const char *last = before + strlen(separator);
    if (!is_word(last, length - (size_t)(last - text)))
      break;
    length = (size_t)(before - text);
  }
  return length;
}

const char *detail_schedule(const struct trace_region *region) {
  static const struct {
    const char *word, *schedule;
  } known[] = {{"loop_static", "static"},
               {"loop_dynamic", "dynamic"},
               {"loop_guided", "guided"},
               {"loop_other", "other"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (detail_has(region, known[i].word))
      return known[i].schedule;
  return "";
}

uint32_t detail_chunk(const struct trace_region *region) {
  static const char word[] = ", chunk ";
  const char *last = NULL;
  for (const char *next = region->description; (next = strstr(next, word)); next++)
    last = next;
  char *end = NULL;
  unsigned long chunk = last && last >= region->description + detail_function_length(region)
                            ? strtoul(last + strlen(word), &end, 10)
                            : 0;
  return end && (*end == '\0' || *end == ',') && chunk < UINT32_MAX ? (uint32_t)chunk : 0;
}
