/* Memory of the writer. It has nobody to hand an error to in the middle of an event, so running out ends the
 * process: what is on disk stays there for a repair. */
#ifndef STAVE_BASE_MEMORY_H
#define STAVE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* When memory runs out, `last` is called before the process ends, by the thread that asked for memory. It
 * must not allocate. */
void memory_at_exhaustion(void (*last)(void *data), void *data);

/* Zeroed memory, the caller's to free(). Never NULL. */
void *memory_get(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/* The same for a thing that wants more alignment than malloc gives, but not zeroed, so that pages that are
 * not used cost nothing; size is a multiple of alignment. */
void *memory_get_aligned(size_t alignment, size_t size);

/* What a library has made; NULL, which it returns for want of memory, ends the process as everywhere here. */
void *memory_given(void *thing);

/* The memory, or NULL for none, with room for so many elements; what is new is not touched. Never NULL. */
void *memory_resize(void *memory, size_t count, size_t size);

/* Makes room for at least `needed` elements in *array (of *capacity elements); the capacity at least doubles.
 * New elements are zero. */
void memory_grow(void *array_address, size_t *capacity, size_t needed, size_t size);

/* An item of the pool and its number. Never NULL. */
void *memory_item(struct pool *pool, uint32_t *ret_number);

#endif
