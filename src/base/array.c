#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LINE_BYTES = 64 };  /* of a cache */
enum { FIRST_BYTES = 64 }; /* room for one or two pointers would soon be too small */

/* The pointer is one to any type, and is copied: it may not be read as one to another. */
static bool resize(void *items_address, size_t room, size_t item_bytes) {
  void *items;
  memcpy(&items, items_address, sizeof items);
  items = reallocarray(items, room, item_bytes);
  if (items)
    memcpy(items_address, &items, sizeof items);
  return items;
}

bool array_try_reserve(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  if (needed <= *capacity)
    return true;
  size_t doubled = *capacity == 0 ? FIRST_BYTES / item_bytes : *capacity <= SIZE_MAX / 2 ? 2 * *capacity : 0;
  size_t room = doubled > needed ? doubled : needed;
  if (!resize(items_address, room, item_bytes))
    return false;
  *capacity = room;
  return true;
}

void array_grow(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  if (!array_try_reserve(items_address, capacity, needed, item_bytes))
    memory_exhausted();
}

void array_grow_zeroed(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  size_t before = *capacity;
  char *items;
  array_grow(items_address, capacity, needed, item_bytes);
  memcpy(&items, items_address, sizeof items);
  memset(items + before * item_bytes, 0, (*capacity - before) * item_bytes);
}

void array_grow_apart(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  size_t before = *capacity * item_bytes, doubled = 2 * *capacity, room = doubled > needed ? doubled : needed;
  if (room > (SIZE_MAX - LINE_BYTES) / item_bytes)
    memory_exhausted();
  size_t bytes = (room * item_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
  char *items, *larger = memory_get_aligned(LINE_BYTES, bytes);
  memcpy(&items, items_address, sizeof items);
  if (before)
    memcpy(larger, items, before);
  memset(larger + before, 0, bytes - before);
  free(items);
  memcpy(items_address, &larger, sizeof larger);
  *capacity = bytes / item_bytes;
}

void *array_add(void *items_address, size_t *count, size_t item_bytes) {
  size_t capacity = *count;
  char *items;
  if ((capacity & (capacity - 1)) == 0 && !resize(items_address, capacity ? 2 * capacity : 1, item_bytes))
    memory_exhausted();
  memcpy(&items, items_address, sizeof items);
  return memset(items + (*count)++ * item_bytes, 0, item_bytes);
}
