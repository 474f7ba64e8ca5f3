#include "writer/model/held.h"

#include <stdlib.h>

#include "base/memory.h"

enum { WORDS_FIRST = 128, WORDS_OF_EVENT_MAX = 7 };

/* In the second word, after the kind: attribute and attribute2 in a byte each, and what follows. */
enum { ATTRIBUTE_AT = HELD_REST_AT, ATTRIBUTE2_AT = 48, PARTS_AT = 56 };
enum { HAS_TEAM = 1, HAS_NUMBERS = 2, HAS_VALUE = 4, HAS_VALUE2 = 8, IS_LATE = 16, HAS_REQUEST = 32 };

static unsigned parts_of(const struct event *event) {
  return (event->team ? HAS_TEAM : 0) | (event->numbers[1] || event->numbers[2] ? HAS_NUMBERS : 0) |
         (event->value ? HAS_VALUE : 0) | (event->value2 ? HAS_VALUE2 : 0) | (event->is_late ? IS_LATE : 0) |
         (event->collective_request ? HAS_REQUEST : 0);
}

void held_put(struct held *held, const struct event *event) {
  if (held->end + WORDS_OF_EVENT_MAX > held->capacity) {
    held->capacity = held->capacity ? 2 * held->capacity : WORDS_FIRST;
    held->words = memory_resize(held->words, held->capacity, sizeof *held->words);
  }
  unsigned parts = parts_of(event);
  uint64_t *next = held->words + held->end;
  *next++ = event->ticks;
  *next++ = event->numbers[0] | (uint64_t)event->kind << HELD_KIND_AT |
            (uint64_t)event->attribute << ATTRIBUTE_AT | (uint64_t)event->attribute2 << ATTRIBUTE2_AT |
            (uint64_t)parts << PARTS_AT;
  if (parts & HAS_TEAM)
    *next++ = (uintptr_t)event->team;
  if (parts & HAS_NUMBERS)
    *next++ = event->numbers[1] | (uint64_t)event->numbers[2] << 32;
  if (parts & HAS_VALUE)
    *next++ = event->value;
  if (parts & HAS_VALUE2)
    *next++ = event->value2;
  if (parts & HAS_REQUEST)
    *next++ = event->collective_request;
  held->end = (size_t)(next - held->words);
}

size_t held_first(const struct held *held, struct event *event) {
  const uint64_t *words = held->words + held->begin, *next = words + HELD_PLAIN_SIZE;
  unsigned parts = (unsigned)(words[1] >> PARTS_AT);
  event->ticks = words[0];
  event->kind = held_first_kind(held);
  event->attribute = (uint8_t)(words[1] >> ATTRIBUTE_AT);
  event->attribute2 = (uint8_t)(words[1] >> ATTRIBUTE2_AT);
  event->is_late = parts & IS_LATE;
  event->team = parts & HAS_TEAM ? (struct team *)(uintptr_t)*next++ : NULL;
  uint64_t numbers = parts & HAS_NUMBERS ? *next++ : 0;
  event->numbers[0] = held_first_number(held);
  event->numbers[1] = (uint32_t)numbers;
  event->numbers[2] = (uint32_t)(numbers >> 32);
  event->value = parts & HAS_VALUE ? *next++ : 0;
  event->value2 = parts & HAS_VALUE2 ? *next++ : 0;
  event->collective_request = parts & HAS_REQUEST ? *next++ : 0;
  return (size_t)(next - words);
}

void held_drop_first(struct held *held, size_t size) {
  held->begin += size;
  if (!held_is_empty(held))
    return;
  held->begin = held->end = 0;
  if (held->capacity > WORDS_FIRST)
    held_clear(held);
}

void held_clear(struct held *held) {
  free(held->words);
  *held = (struct held){0};
}
