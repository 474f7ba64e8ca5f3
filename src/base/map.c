#include "base/map.h"

#include <stdlib.h>

#include "base/memory.h"

void map_grow(struct map *map) {
  struct map larger = {.capacity = map->capacity ? map->capacity * 2 : 64};
  larger.entries = memory_get(larger.capacity, sizeof *larger.entries);
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].value)
      *map_find(&larger, map->entries[i].key) = map->entries[i];
  larger.count = map->count;
  free(map->entries);
  *map = larger;
}

/* Closes the hole: moves back every entry after it that may be there. */
void map_close_hole(struct map *map, struct map_entry *entry) {
  size_t last = map->capacity - 1, hole = (size_t)(entry - map->entries);
  for (size_t i = (hole + 1) & last; map->entries[i].value; i = (i + 1) & last) {
    size_t distance = (i - map_home(map, map->entries[i].key)) & last;
    if (distance < ((i - hole) & last))
      continue;
    map->entries[hole] = map->entries[i];
    hole = i;
  }
  map->entries[hole].value = NULL;
}

void map_clear(struct map *map) {
  free(map->entries);
  *map = (struct map){0};
}

struct map_entry *map_next(const struct map *map, size_t *position) {
  while (*position < map->capacity) {
    struct map_entry *entry = &map->entries[(*position)++];
    if (entry->value)
      return entry;
  }
  return NULL;
}
