#include "timeline/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Room for `words` more; the first word is never a note's, so that 0 is no place. */
static bool has_room(struct notes *notes, size_t words) {
  if (notes->count == 0)
    words++;
  return array_reserve(&notes->words, &notes->capacity, notes->count + words, sizeof *notes->words);
}

static void begin(struct notes *notes) {
  if (notes->count == 0)
    notes->words[notes->count++] = 0;
}

static bool is_full(const struct notes *notes) {
  return notes->count > UINT32_MAX / 2;
}

static uint64_t bits_of(const struct trace_event_attribute *attribute) {
  uint64_t bits;
  memcpy(&bits, &attribute->number, sizeof bits); /* the union's, whichever member it is */
  return bits;
}

bool notes_add(struct notes *notes, const struct trace *trace, const struct trace_event *event,
               uint32_t *ret_place) {
  uint32_t count = trace_event_attribute_count(event);
  *ret_place = 0;
  if (count == 0 || is_full(notes))
    return true;
  if (!has_room(notes, 1 + 2 * (size_t)count))
    return false;
  begin(notes);
  size_t place = notes->count++;
  uint64_t known = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    const struct trace_attribute *definition = trace_attribute(trace, attribute.attribute);
    if (!definition || definition->type != attribute.type)
      continue;
    notes->words[notes->count++] = (uint64_t)(definition - trace->attributes);
    notes->words[notes->count++] = bits_of(&attribute);
    known++;
  }
  notes->words[place] = known;
  *ret_place = known ? (uint32_t)place : 0;
  return true;
}

bool notes_copy(struct notes *notes, const struct notes *from, uint32_t place, uint32_t *ret_place) {
  *ret_place = 0;
  if (place == 0)
    return true;
  size_t words = 1 + 2 * (size_t)from->words[place];
  if (!has_room(notes, words))
    return false;
  begin(notes);
  memcpy(notes->words + notes->count, from->words + place, words * sizeof *notes->words);
  *ret_place = (uint32_t)notes->count;
  notes->count += words;
  return true;
}

void notes_free(struct notes *notes) {
  free(notes->words);
  *notes = (struct notes){0};
}
