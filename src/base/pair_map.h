/* A map from two numbers to a pointer: open addressing, no tombstones. (map.h is from one number; its lookups
 * are on the way of every record.) */
#ifndef STAVE_BASE_PAIR_MAP_H
#define STAVE_BASE_PAIR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair_map_entry {
  uint64_t high, low;
  void *value; /* NULL: free */
};

/* All zero is an empty one. */
struct pair_map {
  struct pair_map_entry *entries;
  size_t count, capacity; /* a power of two */
};

/* NULL if there is none. */
void *pair_map_get(const struct pair_map *map, uint64_t high, uint64_t low);

/* Puts a value that is not NULL in, in place of one that is there. Without memory the process ends
 * (memory.h).
 */
void pair_map_put(struct pair_map *map, uint64_t high, uint64_t low, void *value);

/* The same for who can go on without: returns false without memory. */
bool pair_map_try_put(struct pair_map *map, uint64_t high, uint64_t low, void *value);

/* Removes it. Returns it, or NULL. */
void *pair_map_remove(struct pair_map *map, uint64_t high, uint64_t low);

/* Frees the map, not what is in it. */
void pair_map_free(struct pair_map *map);

#endif
