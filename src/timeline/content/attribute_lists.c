#include "timeline/content/attribute_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Room for `words` more; the first word is never a note's, so that 0 is no place. */
static void make_room(struct attribute_lists *lists, size_t words) {
  array_reserve(&lists->words, &lists->capacity, lists->count + words + 1, sizeof *lists->words);
  if (lists->count == 0)
    lists->words[lists->count++] = 0;
}

static bool is_full(const struct attribute_lists *lists) {
  return lists->count > UINT32_MAX / 2;
}

static uint64_t bits_of(const struct trace_event_attribute *attribute) {
  uint64_t bits;
  memcpy(&bits, &attribute->number, sizeof bits); /* the union's, whichever member it is */
  return bits;
}

uint32_t attribute_lists_add(struct attribute_lists *lists, const struct trace *trace,
                             const struct trace_event *event) {
  uint32_t count = trace_event_attribute_count(event);
  if (count == 0 || is_full(lists))
    return 0;
  make_room(lists, 1 + 2 * (size_t)count);
  size_t place = lists->count++;
  uint64_t known = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    const struct trace_attribute *definition = trace_attribute(trace, attribute.attribute);
    if (!definition || definition->type != attribute.type)
      continue;
    lists->words[lists->count++] = (uint64_t)(definition - trace->attributes);
    lists->words[lists->count++] = bits_of(&attribute);
    known++;
  }
  lists->words[place] = known;
  return known ? (uint32_t)place : 0;
}

uint32_t attribute_lists_copy(struct attribute_lists *lists, const struct attribute_lists *from,
                              uint32_t place) {
  if (place == 0)
    return 0;
  size_t words = 1 + 2 * (size_t)from->words[place];
  make_room(lists, words);
  memcpy(lists->words + lists->count, from->words + place, words * sizeof *lists->words);
  lists->count += words;
  return (uint32_t)(lists->count - words);
}

void attribute_lists_free(struct attribute_lists *lists) {
  free(lists->words);
  *lists = (struct attribute_lists){0};
}
