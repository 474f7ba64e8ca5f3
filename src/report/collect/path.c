#include "report/collect/path.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

enum { BLOCK_SEGMENTS = 1024, LONGEST_LIST = 128 };

struct path_segment {
  struct path_segment *before;
  uint64_t ticks;
  uint32_t region, references;
  uint32_t count, limit; /* segments up to this one; how many there may be until equal regions are merged */
};

struct path_seen {
  struct path_segment *segment;
  uint64_t merge; /* as the store's `merges`: else it is of an earlier list */
};

struct block {
  struct block *next;
  struct path_segment segments[BLOCK_SEGMENTS];
};

static void add_block(struct path_store *store) {
  struct block *block = memory_resize(NULL, 1, sizeof *block);
  block->next = store->blocks;
  store->blocks = block;
  for (int i = 0; i < BLOCK_SEGMENTS; i++) {
    block->segments[i].before = store->free;
    store->free = &block->segments[i];
  }
}

static struct path_segment *new_segment(struct path_store *store) {
  if (!store->free)
    add_block(store);
  struct path_segment *segment = store->free;
  store->free = segment->before;
  return segment;
}

static void release(struct path_store *store, struct path_segment *segment) {
  while (segment && --segment->references == 0) {
    struct path_segment *before = segment->before;
    segment->before = store->free;
    store->free = segment;
    segment = before;
  }
}

/* Adopts the reference to path->last. */
static void append(struct path_store *store, struct path *path, uint32_t region, uint64_t ticks) {
  struct path_segment *segment = new_segment(store), *before = path->last;
  *segment = (struct path_segment){.before = before,
                                   .ticks = ticks,
                                   .region = region,
                                   .references = 1,
                                   .count = before ? before->count + 1 : 1,
                                   .limit = before ? before->limit : LONGEST_LIST};
  path->last = segment;
}

/* The region's place in the table, the first that of no region (UINT32_MAX). */
static struct path_seen *seen_of(struct path_store *store, uint32_t region) {
  uint32_t place = region + 1;
  array_reserve_zeroed(&store->seen, &store->seen_capacity, (size_t)place + 1, sizeof *store->seen);
  return &store->seen[place];
}

/* Makes a list of its own with one segment a region, and lets go of the old one. Nothing depends on the order
 * of the regions. */
static void merge_regions(struct path_store *store, struct path *path) {
  struct path merged = {.length = path->length};
  store->merges++;
  for (const struct path_segment *old = path->last; old; old = old->before) {
    struct path_seen *seen = seen_of(store, old->region);
    if (seen->merge == store->merges) {
      seen->segment->ticks += old->ticks;
      continue;
    }
    append(store, &merged, old->region, old->ticks);
    *seen = (struct path_seen){merged.last, store->merges};
  }
  merged.last->limit = 2 * merged.last->count > LONGEST_LIST ? 2 * merged.last->count : LONGEST_LIST;
  release(store, path->last);
  *path = merged;
}

void path_extend(struct path_store *store, struct path *path, uint32_t region, uint64_t ticks) {
  struct path_segment *last = path->last;
  path->length += ticks;
  if (last && last->region == region && last->references == 1) {
    last->ticks += ticks;
    return;
  }
  append(store, path, region, ticks);
  if (path->last && path->last->count > path->last->limit)
    merge_regions(store, path);
}

void path_copy(struct path_store *store, struct path *path, const struct path *other) {
  if (other->last)
    other->last->references++;
  release(store, path->last);
  *path = *other;
}

void path_join(struct path_store *store, struct path *path, const struct path *longer) {
  if (longer->length > path->length)
    path_copy(store, path, longer);
}

void path_clear(struct path_store *store, struct path *path) {
  release(store, path->last);
  *path = (struct path){0};
}

void path_each(const struct path *path, void (*each)(void *data, uint32_t region, uint64_t ticks),
               void *data) {
  for (const struct path_segment *segment = path->last; segment; segment = segment->before)
    each(data, segment->region, segment->ticks);
}

void path_store_free(struct path_store *store) {
  for (struct block *block = store->blocks; block;) {
    struct block *next = block->next;
    free(block);
    block = next;
  }
  free(store->seen);
  *store = (struct path_store){0};
}
