/* Fills in places: keeps the files of the modules open, and works out the user's names. The symboliser
 * thread's. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_RESOLVE_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_RESOLVE_H

#include "writer/symbols/symbols.h"

struct resolver;

/* Returns NULL without memory. The caller owns the result: resolver_destroy. */
struct resolver *resolver_create(void);

/* Frees the names too that were written into places. NULL is fine. */
void resolver_destroy(struct resolver *resolver);

/* No file is open any more, what was read of them is kept. */
void resolver_close_descriptors(struct resolver *resolver);

/* Closes the files and frees what libbfd holds; names in places stay. */
void resolver_close_files(struct resolver *resolver);

/* Writes all but `resolved` of a place that has a module. Names belong to the resolver, place->inlined to the
 * caller (free). What is not known, or for which there is no memory, is NULL. */
void resolver_resolve(struct resolver *resolver, struct code_place *place);

#endif
