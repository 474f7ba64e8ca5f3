/* The calling contexts of samples: a tree whose nodes are open constructs and code addresses.
 *
 * Numbers are given out while the program runs and are those of the archive: an address is a node of its
 * own, and gets its function and line when the symbols are known. An inlined function is one node; its
 * region's description states into what it was inlined. One thread, the merging one. */
#ifndef STAVE_WRITER_DEFINITIONS_CONTEXTS_H
#define STAVE_WRITER_DEFINITIONS_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/definitions/regions.h"

enum { CONTEXT_NONE = UINT32_MAX };

/* A calling context as it will be defined. */
struct calling_context {
  uint32_t parent;          /* a smaller number, or CONTEXT_NONE */
  uint32_t depth;           /* nodes on the way to it, itself included */
  uint32_t region;          /* as regions_get or regions_function gave it */
  struct code_place *place; /* NULL: a construct */
  bool is_in_runtime;
};

struct contexts;

/* symbols and regions stay the caller's. Free with contexts_destroy. */
struct contexts *contexts_create(struct symbols *symbols, struct regions *regions);
void contexts_destroy(struct contexts *contexts);

/* The node of an open construct, given its region, under `parent`. */
uint32_t contexts_construct(struct contexts *contexts, uint32_t parent, uint32_t region);

/* The node of a code address under `parent`: a return address, or the sampled address + 1. */
uint32_t contexts_code(struct contexts *contexts, uint32_t parent, uint64_t address, bool is_in_runtime);

/* From now on every node goes into the journal before its number is given out. recovery stays the
 * caller's. */
void contexts_set_recovery(struct contexts *contexts, struct recovery *recovery);

/* What the journal has gets the next number. The parent is CONTEXT_NONE or a smaller number. */
void contexts_restore(struct contexts *contexts, uint32_t parent, uint32_t region, uint64_t address,
                      bool is_in_runtime);

/* How many nodes of `to` are new against `from` (CONTEXT_NONE: all), plus one: OTF2's unwind distance. */
uint32_t contexts_distance(const struct contexts *contexts, uint32_t from, uint32_t to);

/* The program is over: queries once more for addresses whose modules were not known when they were
 * encountered. */
void contexts_resolve_again(struct contexts *contexts);

/* Once the symbols are known, and before regions_finish: gives every address its function's region. */
void contexts_finish(struct contexts *contexts);

/* All nodes, in order of their numbers. */
const struct calling_context *contexts_all(const struct contexts *contexts, size_t *ret_count);

#endif
