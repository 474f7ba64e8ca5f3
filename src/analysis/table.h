/* A hash table from two numbers to a pointer, for what lives for a while: open addressing, no tombstones. */
#ifndef STAVE_ANALYSIS_TABLE_H
#define STAVE_ANALYSIS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_entry {
  uint64_t high, low;
  void *value; /* NULL: free */
};

/* All zero is an empty table. */
struct table {
  struct table_entry *entries;
  size_t count, capacity; /* a power of two */
};

/* NULL if there is none. */
void *table_get(const struct table *table, uint64_t high, uint64_t low);

/* Puts a value that is not NULL in, in place of one that is there. Returns false without memory. */
bool table_put(struct table *table, uint64_t high, uint64_t low, void *value);

/* Takes it out. Returns it, or NULL. */
void *table_remove(struct table *table, uint64_t high, uint64_t low);

/* Frees the table, not what is in it. */
void table_free(struct table *table);

#endif
