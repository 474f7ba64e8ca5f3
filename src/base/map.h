/* A table from 64-bit keys to pointers: open addressing, linear probing, deletion without tombstones, so that
 * a table of live things stays as small as what is alive. One thread. */
#ifndef STAVE_BASE_MAP_H
#define STAVE_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
  uint64_t key;
  void *value; /* NULL: unused */
};

struct map {
  struct map_entry *entries;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
};

/* NULL if there is none. */
void *map_get(const struct map *map, uint64_t key);

/* Sets the value (not NULL) of a key, new or not. */
void map_put(struct map *map, uint64_t key, void *value);

/* Removes the key, if it is there. */
void map_remove(struct map *map, uint64_t key);

/* Frees the table, not the values. */
void map_clear(struct map *map);

/* The next entry at or after *position, which moves after it; NULL at the end. Nothing may be put or removed
 * meanwhile. */
struct map_entry *map_next(const struct map *map, size_t *position);

#endif
