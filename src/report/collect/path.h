/* Lengths of paths through a program's graph of tasks, with the regions they lead through: an immutable list
 * that branches share. The longest path from the beginning is the program's least duration with any number of
 * threads: its span. */
#ifndef STAVE_REPORT_COLLECT_PATH_H
#define STAVE_REPORT_COLLECT_PATH_H

#include <stddef.h>
#include <stdint.h>

struct path_segment;
struct path_seen;

/* All zero is the empty path. */
struct path {
  uint64_t length;
  struct path_segment *last;
};

/* Where segments come from. All zero is an empty store. Regions are few: there is a table of them. */
struct path_store {
  struct path_segment *free;
  void *blocks;
  struct path_seen *seen; /* by region: where it is in the list that is made just now */
  size_t seen_capacity;
  uint64_t merges;
};

/* Makes the path longer by time spent in a region. */
void path_extend(struct path_store *store, struct path *path, uint32_t region, uint64_t ticks);

/* Makes *path a copy of `longer` if that is longer. */
void path_join(struct path_store *store, struct path *path, const struct path *longer);

/* Makes *path a copy of the other one. */
void path_copy(struct path_store *store, struct path *path, const struct path *other);

/* Makes it empty. */
void path_clear(struct path_store *store, struct path *path);

/* Calls `each` for the path's pieces; a region may come several times. */
void path_each(const struct path *path, void (*each)(void *data, uint32_t region, uint64_t ticks),
               void *data);

void path_store_free(struct path_store *store);

#endif
