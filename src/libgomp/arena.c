#include "libgomp/arena.h"

#include <errno.h>
#include <sys/mman.h>

/* Each chunk is as large as all before it. Tasks that a program leaves by longjmp(3), which OpenMP forbids,
 * are not given back: so there is an end to it. */
enum { CHUNK_MIN = 16 << 10, ALL_MAX = 256 << 20, ALIGNMENT = 16 };

struct arena_chunk {
  struct arena_chunk *before;
  size_t bytes, all; /* with those before */
};

static struct arena_chunk *map(size_t bytes) {
  int error = errno;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = error;
  return memory == MAP_FAILED ? NULL : memory;
}

static int grow(struct arena *arena) {
  size_t all = arena->chunks ? arena->chunks->all : 0, bytes = all ? all : CHUNK_MIN;
  struct arena_chunk *chunk = all + bytes <= ALL_MAX ? map(bytes) : NULL;
  if (!chunk)
    return 0;
  *chunk = (struct arena_chunk){arena->chunks, bytes, all + bytes};
  arena->chunks = chunk;
  arena->begin = (char *)chunk + (sizeof *chunk + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  arena->end = (char *)chunk + bytes;
  return 1;
}

void *arena_get_new(struct arena *arena, size_t bytes) {
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if ((size_t)(arena->end - arena->begin) < bytes && !grow(arena))
    return NULL;
  void *item = arena->begin;
  arena->begin += bytes;
  return item;
}

void arena_add(struct arena *arena, enum arena_kind kind, size_t bytes) {
  void *item = arena_get_new(arena, bytes);
  if (item)
    arena_give(arena, kind, item);
}

void arena_end(struct arena *arena) {
  for (struct arena_chunk *chunk = arena->chunks, *before; chunk; chunk = before) {
    before = chunk->before;
    munmap(chunk, chunk->bytes);
  }
  *arena = (struct arena){0};
}
