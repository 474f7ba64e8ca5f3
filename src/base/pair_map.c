#include "base/pair_map.h"

#include <stdlib.h>

#include "base/memory.h"

enum { CAPACITY_FIRST = 64 };

static size_t home_of(const struct pair_map *map, uint64_t high, uint64_t low) {
  uint64_t hash = (high * UINT64_C(0x9e3779b97f4a7c15)) ^ low;
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return (size_t)(hash ^ hash >> 32) & (map->capacity - 1);
}

/* The entry with this key, or the free one where it would be put. The map is never full. */
static struct pair_map_entry *find(const struct pair_map *map, uint64_t high, uint64_t low) {
  size_t i = home_of(map, high, low);
  while (map->entries[i].value && (map->entries[i].low != low || map->entries[i].high != high))
    i = (i + 1) & (map->capacity - 1);
  return &map->entries[i];
}

void *pair_map_get(const struct pair_map *map, uint64_t high, uint64_t low) {
  return map->capacity ? find(map, high, low)->value : NULL;
}

static bool grow(struct pair_map *map) {
  struct pair_map larger = {.count = map->count,
                            .capacity = map->capacity ? 2 * map->capacity : CAPACITY_FIRST};
  larger.entries = calloc(larger.capacity, sizeof *larger.entries);
  if (!larger.entries)
    return false;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].value)
      *find(&larger, map->entries[i].high, map->entries[i].low) = map->entries[i];
  free(map->entries);
  *map = larger;
  return true;
}

bool pair_map_try_put(struct pair_map *map, uint64_t high, uint64_t low, void *value) {
  if (2 * (map->count + 1) > map->capacity && !grow(map))
    return false;
  struct pair_map_entry *entry = find(map, high, low);
  map->count += entry->value == NULL;
  *entry = (struct pair_map_entry){high, low, value};
  return true;
}

void pair_map_put(struct pair_map *map, uint64_t high, uint64_t low, void *value) {
  if (!pair_map_try_put(map, high, low, value))
    memory_exhausted();
}

/* Moves up what would no longer be found after the hole. */
static void close_hole(struct pair_map *map, size_t hole) {
  size_t mask = map->capacity - 1;
  for (size_t i = (hole + 1) & mask; map->entries[i].value; i = (i + 1) & mask) {
    size_t home = home_of(map, map->entries[i].high, map->entries[i].low);
    if (((i - home) & mask) < ((i - hole) & mask))
      continue;
    map->entries[hole] = map->entries[i];
    hole = i;
  }
  map->entries[hole].value = NULL;
}

void *pair_map_remove(struct pair_map *map, uint64_t high, uint64_t low) {
  struct pair_map_entry *entry = map->capacity ? find(map, high, low) : NULL;
  void *value = entry ? entry->value : NULL;
  if (!value)
    return NULL;
  map->count--;
  close_hole(map, (size_t)(entry - map->entries));
  return value;
}

void pair_map_free(struct pair_map *map) {
  free(map->entries);
  *map = (struct pair_map){0};
}
