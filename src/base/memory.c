#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"

enum { MIN_ITEMS = 8 };

static struct {
  void (*last)(void *data);
  void *data;
} exhaustion;

void memory_at_exhaustion(void (*last)(void *data), void *data) {
  exhaustion.last = last;
  exhaustion.data = data;
}

static void out_of_memory(void) {
  if (exhaustion.last)
    exhaustion.last(exhaustion.data);
  fputs("stave-writer: out of memory\n", stderr);
  _exit(3);
}

void *memory_get(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    out_of_memory();
  return memory;
}

void *memory_get_aligned(size_t alignment, size_t size) {
  void *memory = aligned_alloc(alignment, size);
  if (!memory)
    out_of_memory();
  return memory;
}

void *memory_given(void *thing) {
  if (!thing)
    out_of_memory();
  return thing;
}

void *memory_resize(void *memory, size_t count, size_t size) {
  void *larger = reallocarray(memory, count, size);
  if (!larger)
    out_of_memory();
  return larger;
}

void memory_grow(void *array_address, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity)
    return;
  if (*capacity == 0 && needed < MIN_ITEMS)
    needed = MIN_ITEMS;
  if (!array_grow_zeroed(array_address, capacity, needed, size))
    out_of_memory();
}

void *memory_item(struct pool *pool, uint32_t *ret_number) {
  *ret_number = pool_get(pool);
  if (*ret_number == POOL_NONE)
    out_of_memory();
  return pool_item(pool, *ret_number);
}
