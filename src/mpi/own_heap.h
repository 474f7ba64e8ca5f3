/* Memory for what is kept of the program's handles: not from malloc, whose lock the program may hold. */
#ifndef STAVE_MPI_OWN_HEAP_H
#define STAVE_MPI_OWN_HEAP_H

#include <stddef.h>

/* count * size bytes, all zero; NULL: there is no memory. */
void *heap_get(size_t count, size_t size);

/* Gives it back; NULL is fine. */
void heap_free(void *memory);

#endif
