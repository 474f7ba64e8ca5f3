#include "analysis/pool.h"

#include <stdlib.h>

enum { BLOCK_SHIFT = 8, BLOCK_ITEMS = 1 << BLOCK_SHIFT };

void pool_init(struct pool *pool, size_t item_bytes) {
  *pool = (struct pool){.item_bytes = item_bytes};
}

void *pool_item(const struct pool *pool, uint32_t slot) {
  return pool->blocks[slot >> BLOCK_SHIFT] + (slot & (BLOCK_ITEMS - 1)) * pool->item_bytes;
}

/* Room for the numbers of all items comes with the items, so that giving back cannot fail. */
static int add_block(struct pool *pool) {
  size_t count = pool->used >> BLOCK_SHIFT;
  if (count && (count & (count - 1)) != 0) {
    pool->blocks[count] = calloc(BLOCK_ITEMS, pool->item_bytes);
    return pool->blocks[count] != NULL;
  }
  size_t room = count ? 2 * count : 1;
  char **blocks = realloc(pool->blocks, room * sizeof *blocks);
  if (blocks)
    pool->blocks = blocks;
  uint32_t *slots = realloc(pool->free_slots, room * BLOCK_ITEMS * sizeof *slots);
  if (slots)
    pool->free_slots = slots;
  if (!blocks || !slots)
    return 0;
  blocks[count] = calloc(BLOCK_ITEMS, pool->item_bytes);
  return blocks[count] != NULL;
}

uint32_t pool_take(struct pool *pool) {
  if (pool->free_count)
    return pool->free_slots[--pool->free_count];
  if ((pool->used & (BLOCK_ITEMS - 1)) == 0 && (pool->used >= UINT32_MAX - BLOCK_ITEMS || !add_block(pool)))
    return UINT32_MAX;
  return pool->used++;
}

void pool_give_back(struct pool *pool, uint32_t slot) {
  pool->free_slots[pool->free_count++] = slot;
}

void pool_free(struct pool *pool) {
  for (uint32_t i = 0; i < pool->used; i += BLOCK_ITEMS)
    free(pool->blocks[i >> BLOCK_SHIFT]);
  free(pool->blocks);
  free(pool->free_slots);
}
