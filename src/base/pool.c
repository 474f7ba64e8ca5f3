#include "base/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include <sanitizer/asan_interface.h> /* whose macros do nothing without the sanitizer */

#include "base/array.h"

enum { BLOCK_SHIFT = 8, BLOCK_ITEMS = 1 << BLOCK_SHIFT };

/* Room for the numbers of all items comes with the items, so that putting back cannot fail. */
static bool add_block(struct pool *pool) {
  size_t count = pool->count >> BLOCK_SHIFT;
  if (!array_reserve(&pool->blocks, &pool->block_capacity, count + 1, sizeof *pool->blocks) ||
      !array_reserve(&pool->unused, &pool->unused_capacity, (count + 1) << BLOCK_SHIFT, sizeof *pool->unused))
    return false;
  pool->blocks[count] = calloc(BLOCK_ITEMS, pool->item_bytes);
  return pool->blocks[count] != NULL;
}

uint32_t pool_get(struct pool *pool) {
  if (pool->unused_count) {
    uint32_t number = pool->unused[--pool->unused_count];
    ASAN_UNPOISON_MEMORY_REGION(pool_item(pool, number), pool->item_bytes);
    return number;
  }
  bool is_full = (pool->count & (BLOCK_ITEMS - 1)) == 0;
  if (is_full && (pool->count >= UINT32_MAX - BLOCK_ITEMS || !add_block(pool)))
    return POOL_NONE;
  return pool->count++;
}

void *pool_item(const struct pool *pool, uint32_t number) {
  return pool->blocks[number >> BLOCK_SHIFT] + (number & (BLOCK_ITEMS - 1)) * pool->item_bytes;
}

void pool_put(struct pool *pool, uint32_t number) {
  ASAN_POISON_MEMORY_REGION(pool_item(pool, number), pool->item_bytes);
  pool->unused[pool->unused_count++] = number;
}

void pool_free(struct pool *pool, void (*destroy)(void *item)) {
  for (uint32_t i = 0; i < pool->count; i++) {
    ASAN_UNPOISON_MEMORY_REGION(pool_item(pool, i), pool->item_bytes);
    if (destroy)
      destroy(pool_item(pool, i));
  }
  for (uint32_t i = 0; i < pool->count; i += BLOCK_ITEMS)
    free(pool->blocks[i >> BLOCK_SHIFT]);
  free(pool->blocks);
  free(pool->unused);
  *pool = (struct pool){.item_bytes = pool->item_bytes};
}
