/* Pieces of output that are the same wherever a definition is named: made when first requested, then
 * copied. */
#ifndef STAVE_EXPORT_FRAGMENT_H
#define STAVE_EXPORT_FRAGMENT_H

#include <stddef.h>

#include "export/sink.h"

/* Writes what represents the definition at `index`. */
typedef void (*fragments_describe)(struct sink *sink, const void *data, size_t index);

struct fragments {
  fragments_describe describe;
  const void *data;
  struct sink_memory *all; /* bytes NULL: not made yet */
  size_t count;
  struct sink *maker;
};

/* For `count` definitions. */
void fragments_open(struct fragments *ret, size_t count, fragments_describe describe, const void *data);

/* Writes the fragment at `index`, below the count. */
void fragments_write(struct fragments *fragments, struct sink *sink, size_t index);

/* Frees what it owns; also of a zeroed structure. */
void fragments_close(struct fragments *fragments);

#endif
