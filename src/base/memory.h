/* Memory that is there, or ends the process. It is for the writer, which has nobody to hand an error to in
 * the middle of an event: what is on disk stays there for a repair. It is also for what reads archives, in a
 * process of its own (guard.h). Code that can go on without memory calls malloc itself. */
#ifndef STAVE_BASE_MEMORY_H
#define STAVE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* When memory runs out, `last` is called before the process ends, by the thread that requested memory. It
 * must not allocate, and may end the process itself. NULL: none. */
void memory_at_exhaustion(void (*last)(void *data), void *data);

/* Ends the process for lack of memory. */
_Noreturn void memory_exhausted(void);

/* Zeroed memory, the caller's to free(). Never NULL. */
void *memory_get(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));

/* The same for a thing that needs more alignment than malloc gives, but not zeroed, so that pages that are
 * not used cost nothing; size is a multiple of alignment. */
void *memory_get_aligned(size_t alignment, size_t size) __attribute__((returns_nonnull));

/* What a library has made; NULL, which it returns for lack of memory, ends the process as everywhere here. */
void *memory_given(void *thing) __attribute__((returns_nonnull));

/* A copy of the text, the caller's to free(). */
char *memory_text(const char *text) __attribute__((malloc, nonnull, returns_nonnull));

/* What snprintf would make of it, as long as it is; the caller's to free(). */
char *memory_print(const char *format, ...) __attribute__((malloc, format(printf, 1, 2), returns_nonnull));

/* The memory, or NULL for none, with room for so many elements; what is new is not touched. Never NULL. */
void *memory_resize(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));

#endif
