#include "writer/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void) {
  fputs("stave-writer: out of memory\n", stderr);
  _exit(3);
}

void *memory_get(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    out_of_memory();
  return memory;
}

void memory_grow(void *array_address, size_t *capacity, size_t needed, size_t size) {
  void **array = array_address;
  if (needed <= *capacity)
    return;
  size_t wanted = *capacity ? *capacity * 2 : 8;
  wanted = wanted < needed ? needed : wanted;
  char *larger = reallocarray(*array, wanted, size);
  if (!larger)
    out_of_memory();
  memset(larger + *capacity * size, 0, (wanted - *capacity) * size);
  *array = larger;
  *capacity = wanted;
}
