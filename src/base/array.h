/* Arrays that grow. Their owner keeps the address of the items, how many there are and for how many there is
 * room (all zero: none); what follows makes the room, and free() gives it back. Without memory the process
 * ends (memory.h). */
#ifndef STAVE_BASE_ARRAY_H
#define STAVE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* What array_reserve and array_reserve_zeroed do when there is not enough room. */
void array_grow(void *items_address, size_t *capacity, size_t needed, size_t item_bytes);
void array_grow_zeroed(void *items_address, size_t *capacity, size_t needed, size_t item_bytes);

/* Makes room for at least `needed` items of `item_bytes` each. `items_address` is the address of the pointer
 * to the first item; *capacity is for how many there is room, and at least doubles if it grows. New items are
 * not touched. */
static inline void array_reserve(void *items_address, size_t *capacity, size_t needed, size_t item_bytes) {
  if (needed > *capacity)
    array_grow(items_address, capacity, needed, item_bytes);
}

/* The same, and new items are zero. */
static inline void array_reserve_zeroed(void *items_address, size_t *capacity, size_t needed,
                                        size_t item_bytes) {
  if (needed > *capacity)
    array_grow_zeroed(items_address, capacity, needed, item_bytes);
}

void array_grow_apart(void *items_address, size_t *capacity, size_t needed, size_t item_bytes);

/* The same for what one thread stores to while others store to theirs: no line of a cache has an item and
 * something else. */
static inline void array_reserve_apart(void *items_address, size_t *capacity, size_t needed,
                                       size_t item_bytes) {
  if (needed > *capacity)
    array_grow_apart(items_address, capacity, needed, item_bytes);
}

/* The same as array_reserve for who can go on without: returns false without memory, and nothing has
 * changed. */
bool array_try_reserve(void *items_address, size_t *capacity, size_t needed, size_t item_bytes);

/* Adds an item, all zero, after the last one of an array whose items come one by one and that keeps no
 * capacity: it is the power of two that follows from *count. Returns the item. */
void *array_add(void *items_address, size_t *count, size_t item_bytes);

#endif
