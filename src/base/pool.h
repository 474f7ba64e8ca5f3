/* Items of one size that come and go, and have dense numbers: a number is given again when its item is gone,
 * an item never moves. What is put back is what the next one gets. Without memory the process ends
 * (memory.h). */
#ifndef STAVE_BASE_POOL_H
#define STAVE_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h> /* whose macros do nothing without the sanitizer */
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

#define POOL_NONE UINT32_MAX /* no item's number */

enum { POOL_BLOCK_ITEMS = 32 }; /* that are requested together: many programs have few teams */

/* All zero but for item_bytes: an empty pool. */
struct pool {
  size_t item_bytes;
  char **blocks;
  uint32_t *unused; /* numbers that were put back; there is room for all */
  size_t block_capacity, unused_capacity;
  uint32_t unused_count, count; /* count: numbers given so far */
};

static inline void *pool_item(const struct pool *pool, uint32_t number) {
  return pool->blocks[number / POOL_BLOCK_ITEMS] + number % POOL_BLOCK_ITEMS * pool->item_bytes;
}

/* What pool_get does when no item was put back. */
uint32_t pool_get_new(struct pool *pool);

/* The number of an item. The item holds what it held when it was put back; all zero the
 * first time. */
static inline uint32_t pool_get(struct pool *pool) {
  if (pool->unused_count == 0)
    return pool_get_new(pool);
  uint32_t number = pool->unused[--pool->unused_count];
  ASAN_UNPOISON_MEMORY_REGION(pool_item(pool, number), pool->item_bytes);
  return number;
}

/* The item itself, with its number. */
static inline void *pool_new(struct pool *pool, uint32_t *ret_number) {
  return pool_item(pool, *ret_number = pool_get(pool));
}

/* Makes the item zero. (For a constant length gcc emits `rep stos`, which is five times slower than memset
 * for so few bytes.) */
static inline void pool_clear(const struct pool *pool, void *item) {
  memset(item, 0, pool->item_bytes);
}

/* Puts an item back, which cannot fail. Nobody may look into it until it is given again. */
static inline void pool_put(struct pool *pool, uint32_t number) {
  ASAN_POISON_MEMORY_REGION(pool_item(pool, number), pool->item_bytes);
  pool->unused[pool->unused_count++] = number;
}

/* Frees the items. `destroy`, if it is not NULL, is called with each that was ever given, and frees what that
 * owns. */
void pool_free(struct pool *pool, void (*destroy)(void *item));

#endif
