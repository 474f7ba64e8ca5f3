#include "trace/instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/detail.h"

/* Of a name that is too long: its beginning, then what is around the difference. */
enum { WIDTH = 60, HEAD = 20, BEFORE_DIFFERENCE = 6, BARE_BYTES = 4096 };

static const char gap[] = "..";

struct name_part {
  const char *text;
  size_t length;
};

static struct name_part function_of(const struct trace_region *region) {
  return (struct name_part){region->description, detail_function_length(region)};
}

static bool is_same(struct name_part a, struct name_part b) {
  return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static int by_name(const void *left, const void *right) {
  const struct trace_region *const *a = left, *const *b = right;
  int order = strcmp((*a)->name, (*b)->name);
  return order ? order : (*a > *b) - (*a < *b);
}

static void mark_equals(struct trace_region *const *regions, size_t count) {
  bool differ = false;
  for (size_t i = 1; i < count && !differ; i++)
    differ = !is_same(function_of(regions[i]), function_of(regions[0]));
  for (size_t i = 0; i < count; i++)
    regions[i]->is_instance = differ && function_of(regions[i]).length > 0;
}

void instances_mark(struct trace *trace) {
  struct trace_region **sorted = memory_get(trace->region_count, sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < trace->region_count; i++)
    if (strstr(trace->regions[i].name, " @"))
      sorted[count++] = &trace->regions[i];
  if (count > 1)
    qsort(sorted, count, sizeof *sorted, by_name);
  for (size_t i = 0, equal; i < count; i += equal) {
    for (equal = 1; i + equal < count && strcmp(sorted[i]->name, sorted[i + equal]->name) == 0;)
      equal++;
    mark_equals(sorted + i, equal);
  }
  free(sorted);
}

static bool has_word_at(struct name_part part, size_t at, const char *word) {
  size_t length = strlen(word);
  return part.length - at >= length && memcmp(part.text + at, word, length) == 0;
}

/* Where the parameters begin: the first ( that is in no < > and no ( ), and that is not part of a name. */
static size_t end_of_name(struct name_part part) {
  int depth = 0;
  for (size_t i = 0; i < part.length; i++) {
    char c = part.text[i];
    if (c == '(' && depth == 0 && !has_word_at(part, i, "(anonymous namespace)") &&
        !has_word_at(part, i, "()("))
      return i;
    depth += (c == '<' || c == '(') - ((c == '>' || c == ')') && depth > 0);
  }
  return part.length;
}

/* After the return type, which templates have in front of their names. */
static size_t begin_of_name(struct name_part part, size_t end) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < end; i++) {
    char c = part.text[i];
    if (c == ' ' && depth == 0 && i > 0 && !has_word_at(part, i, " [") &&
        strncmp(part.text + begin, "operator", 8))
      begin = i + 1;
    depth += (c == '<' || c == '(') - ((c == '>' || c == ')') && depth > 0);
  }
  return begin < end ? begin : 0;
}

static struct name_part short_of(struct name_part function) {
  size_t end = end_of_name(function), begin = begin_of_name(function, end);
  return (struct name_part){function.text + begin, end - begin};
}

static size_t common_prefix(struct name_part a, struct name_part b) {
  size_t i = 0;
  while (i < a.length && i < b.length && a.text[i] == b.text[i])
    i++;
  return i;
}

/* The next one that has the region's name and another function; NULL: there is none from here on. */
static const struct trace_region *next_sibling(const struct trace *trace, const struct trace_region *region,
                                               size_t *at) {
  for (; *at < trace->region_count; ++*at) {
    const struct trace_region *other = &trace->regions[*at];
    if (other->is_instance && strcmp(other->name, region->name) == 0 &&
        !is_same(function_of(other), function_of(region)))
      return &trace->regions[(*at)++];
  }
  return NULL;
}

/* Back to where a character of UTF-8 begins. */
static size_t at_character(struct name_part part, size_t at) {
  while (at > 0 && at < part.length && ((unsigned char)part.text[at] & 0xc0) == 0x80)
    at--;
  return at;
}

static void write_around(char buffer[INSTANCE_BYTES], struct name_part name, size_t difference) {
  size_t head = at_character(name, HEAD), room = WIDTH - HEAD - 2 * strlen(gap);
  size_t begin = difference > head + BEFORE_DIFFERENCE ? difference - BEFORE_DIFFERENCE : head;
  if (begin + room > name.length)
    begin = name.length - room;
  begin = at_character(name, begin);
  size_t end = at_character(name, begin + room < name.length ? begin + room : name.length);
  snprintf(buffer, INSTANCE_BYTES, "%.*s%s%.*s%s", (int)head, name.text, begin > head ? gap : "",
           (int)(end - begin), name.text + begin, end < name.length ? gap : "");
}

char *instance_name(char buffer[INSTANCE_BYTES], const struct trace *trace,
                    const struct trace_region *region) {
  const struct trace_region *sibling;
  struct name_part function = function_of(region), name = short_of(function);
  size_t at = 0, difference = SIZE_MAX;
  while ((sibling = next_sibling(trace, region, &at)))
    if (is_same(short_of(function_of(sibling)), name)) {
      name = function;
      break;
    }
  bool is_complete = is_same(name, function);
  for (at = 0; (sibling = next_sibling(trace, region, &at));) {
    struct name_part other = function_of(sibling);
    size_t common = common_prefix(name, is_complete ? other : short_of(other));
    difference = common < difference ? common : difference;
  }
  if (name.length <= WIDTH)
    snprintf(buffer, INSTANCE_BYTES, "%.*s", (int)name.length, name.text);
  else
    write_around(buffer, name, difference < name.length ? difference : name.length);
  return buffer;
}

/* Without what is in < >, of which "<>" is left. An operator may have such characters in its name. */
static size_t write_without_arguments(char *buffer, struct name_part name) {
  size_t used = 0;
  int depth = 0;
  for (size_t i = 0; i < name.length; i++) {
    char c = name.text[i];
    if (has_word_at(name, i, "operator<") || has_word_at(name, i, "operator>") ||
        has_word_at(name, i, "operator->"))
      return 0;
    depth -= c == '>' && depth > 0;
    if (depth == 0)
      buffer[used++] = c;
    depth += c == '<';
  }
  buffer[used] = '\0';
  return used;
}

/* What is in the brackets of a template goes next, then the middle. */
static void write_short(char buffer[INSTANCE_BYTES], struct name_part name) {
  char bare[BARE_BYTES];
  size_t length = name.length > WIDTH && name.length < BARE_BYTES ? write_without_arguments(bare, name) : 0;
  struct name_part shown = length > 0 ? (struct name_part){bare, length} : name;
  if (shown.length <= WIDTH)
    snprintf(buffer, INSTANCE_BYTES, "%.*s", (int)shown.length, shown.text);
  else
    write_around(buffer, shown, shown.length);
}

char *instance_function(char buffer[INSTANCE_BYTES], const char *function) {
  write_short(buffer, short_of((struct name_part){function, strlen(function)}));
  return buffer;
}
