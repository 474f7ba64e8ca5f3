#include "analysis/table.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 64 };

static size_t home_of(const struct table *table, uint64_t high, uint64_t low) {
  uint64_t hash = (high * UINT64_C(0x9e3779b97f4a7c15)) ^ low;
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return (size_t)(hash ^ hash >> 32) & (table->capacity - 1);
}

/* The entry with this key, or the free one where it would be put. The table is never full. */
static struct table_entry *find(const struct table *table, uint64_t high, uint64_t low) {
  size_t i = home_of(table, high, low);
  while (table->entries[i].value && (table->entries[i].low != low || table->entries[i].high != high))
    i = (i + 1) & (table->capacity - 1);
  return &table->entries[i];
}

void *table_get(const struct table *table, uint64_t high, uint64_t low) {
  return table->capacity ? find(table, high, low)->value : NULL;
}

static bool grow(struct table *table) {
  struct table larger = {.count = table->count,
                         .capacity = table->capacity ? 2 * table->capacity : CAPACITY_FIRST};
  larger.entries = calloc(larger.capacity, sizeof *larger.entries);
  if (!larger.entries)
    return false;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->entries[i].value)
      *find(&larger, table->entries[i].high, table->entries[i].low) = table->entries[i];
  free(table->entries);
  *table = larger;
  return true;
}

bool table_put(struct table *table, uint64_t high, uint64_t low, void *value) {
  if (2 * (table->count + 1) > table->capacity && !grow(table))
    return false;
  struct table_entry *entry = find(table, high, low);
  table->count += entry->value == NULL;
  *entry = (struct table_entry){high, low, value};
  return true;
}

/* Moves up what would no longer be found behind the hole. */
static void close_hole(struct table *table, size_t hole) {
  size_t mask = table->capacity - 1;
  for (size_t i = (hole + 1) & mask; table->entries[i].value; i = (i + 1) & mask) {
    size_t home = home_of(table, table->entries[i].high, table->entries[i].low);
    if (((i - home) & mask) < ((i - hole) & mask))
      continue;
    table->entries[hole] = table->entries[i];
    hole = i;
  }
  table->entries[hole].value = NULL;
}

void *table_remove(struct table *table, uint64_t high, uint64_t low) {
  struct table_entry *entry = table->capacity ? find(table, high, low) : NULL;
  void *value = entry ? entry->value : NULL;
  if (!value)
    return NULL;
  table->count--;
  close_hole(table, (size_t)(entry - table->entries));
  return value;
}

void table_free(struct table *table) {
  free(table->entries);
  *table = (struct table){0};
}
