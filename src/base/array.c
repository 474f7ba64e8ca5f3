#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_grow(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  size_t room = *capacity <= SIZE_MAX / 2 && 2 * *capacity > needed ? 2 * *capacity : needed, bytes;
  void *items; /* of whatever type: copied, as a pointer of another type may not be read through this one's */
  memcpy(&items, items_address, sizeof items);
  if (__builtin_mul_overflow(room, item_bytes, &bytes) || !(items = realloc(items, bytes)))
    return false;
  memcpy(items_address, &items, sizeof items);
  *capacity = room;
  return true;
}

bool array_grow_zeroed(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  size_t before = *capacity;
  char *items;
  if (!array_grow(items_address, capacity, needed, item_bytes))
    return false;
  memcpy(&items, items_address, sizeof items);
  memset(items + before * item_bytes, 0, (*capacity - before) * item_bytes);
  return true;
}
