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

/* Where the key's entry would be in a table without others. Ids differ in their low bits and in the slot
 * number: a multiplication spreads both. */
static inline size_t map_home(const struct map *map, uint64_t key) {
  return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (map->capacity - 1);
}

/* The key's entry, or the unused one that it would get; of a table with room. */
static inline struct map_entry *map_find(const struct map *map, uint64_t key) {
  size_t i = map_home(map, key);
  while (map->entries[i].value && map->entries[i].key != key)
    i = (i + 1) & (map->capacity - 1);
  return &map->entries[i];
}

/* NULL if there is none. */
static inline void *map_get(const struct map *map, uint64_t key) {
  return map->capacity ? map_find(map, key)->value : NULL;
}

/* What map_put does when half of the table is in use. */
void map_grow(struct map *map);

/* Sets the value (not NULL) of a key, new or not. */
static inline void map_put(struct map *map, uint64_t key, void *value) {
  if (map->count * 2 >= map->capacity)
    map_grow(map);
  struct map_entry *entry = map_find(map, key);
  map->count += !entry->value;
  entry->key = key;
  entry->value = value;
}

/* What map_remove does of an entry where the next one is in use. */
void map_close_hole(struct map *map, struct map_entry *entry);

/* Removes the key, if it is there. */
static inline void map_remove(struct map *map, uint64_t key) {
  struct map_entry *entry = map->capacity ? map_find(map, key) : NULL;
  if (!entry || !entry->value)
    return;
  map->count--;
  size_t next = (size_t)(entry - map->entries + 1) & (map->capacity - 1);
  if (map->entries[next].value)
    map_close_hole(map, entry);
  else
    entry->value = NULL;
}

/* Frees the table, not the values. */
void map_clear(struct map *map);

/* The next entry at or after *position, which moves after it; NULL at the end. Nothing may be put or removed
 * meanwhile. */
struct map_entry *map_next(const struct map *map, size_t *position);

#endif
