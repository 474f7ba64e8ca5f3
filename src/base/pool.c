#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Room for the numbers of all items comes with the items, so that putting back cannot fail. */
static void add_block(struct pool *pool) {
  size_t count = pool->count / POOL_BLOCK_ITEMS;
  array_reserve(&pool->blocks, &pool->block_capacity, count + 1, sizeof *pool->blocks);
  array_reserve(&pool->unused, &pool->unused_capacity, (count + 1) * POOL_BLOCK_ITEMS, sizeof *pool->unused);
  pool->blocks[count] = memory_resize(NULL, POOL_BLOCK_ITEMS, pool->item_bytes);
}

uint32_t pool_get_new(struct pool *pool) {
  if (pool->count >= UINT32_MAX - POOL_BLOCK_ITEMS)
    memory_exhausted();
  if (pool->count % POOL_BLOCK_ITEMS == 0)
    add_block(pool);
  memset(pool_item(pool, pool->count), 0,
         pool->item_bytes); /* one by one: few of a block may ever be given */
  return pool->count++;
}

void pool_free(struct pool *pool, void (*destroy)(void *item)) {
  for (uint32_t i = 0; i < pool->count; i++) {
    ASAN_UNPOISON_MEMORY_REGION(pool_item(pool, i), pool->item_bytes);
    if (destroy)
      destroy(pool_item(pool, i));
  }
  for (uint32_t i = 0; i < pool->count; i += POOL_BLOCK_ITEMS)
    free(pool->blocks[i / POOL_BLOCK_ITEMS]);
  free(pool->blocks);
  free(pool->unused);
  *pool = (struct pool){.item_bytes = pool->item_bytes};
}
