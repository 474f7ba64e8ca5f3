/* Items of one size with dense numbers: a number is given again when its item is gone, an item never
 * moves. */
#ifndef STAVE_ANALYSIS_POOL_H
#define STAVE_ANALYSIS_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
  size_t item_bytes;
  char **blocks;
  uint32_t *free_slots;      /* of items that are gone */
  uint32_t free_count, used; /* used: numbers given so far */
};

void pool_init(struct pool *pool, size_t item_bytes);

/* Gives a new item's number, or UINT32_MAX without memory. The item holds what it held when it was given
 * back; all zero the first time. */
uint32_t pool_take(struct pool *pool);

void *pool_item(const struct pool *pool, uint32_t slot);

void pool_give_back(struct pool *pool, uint32_t slot);

/* Frees the items. */
void pool_free(struct pool *pool);

#endif
