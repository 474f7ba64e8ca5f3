/* Pieces have sizes of powers of two; one that is given back waits for the next request of its size. Large
 * ones have mappings of their own. */
#include "mpi/own_heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/lock.h"

enum { CLASS_MIN = 6, CLASS_MAX = 16, BLOCK_BYTES = 1 << 18 };

/* In front of what is given out, which is aligned as it is. */
struct heap_piece {
  _Alignas(16) uint64_t bytes; /* with this header */
  struct heap_piece *next;     /* while it waits */
};

static struct {
  struct own_lock lock;
  struct heap_piece *waiting[CLASS_MAX + 1];
  char *block; /* what is left of the last one */
  size_t left;
} heap = {.lock = LOCK_FREE};

static void *map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static unsigned class_of(size_t bytes) {
  unsigned class = CLASS_MIN;
  while ((size_t)1 << class < bytes)
    class ++;
  return class;
}

static struct heap_piece *reuse_waiting(unsigned class) {
  struct heap_piece *piece = heap.waiting[class];
  if (piece)
    heap.waiting[class] = piece->next;
  return piece;
}

static struct heap_piece *cut(size_t bytes) {
  if (bytes > heap.left)
    return NULL;
  struct heap_piece *piece = (struct heap_piece *)(void *)heap.block;
  heap.block += bytes;
  heap.left -= bytes;
  return piece;
}

/* What is left of the block before is lost if another thread maps one, too: less than the largest piece. */
static struct heap_piece *cut_from_new(size_t bytes) {
  char *block = map(BLOCK_BYTES);
  if (!block)
    return NULL;
  lock_acquire(&heap.lock);
  heap.block = block;
  heap.left = BLOCK_BYTES;
  struct heap_piece *piece = cut(bytes);
  lock_release(&heap.lock);
  return piece;
}

static struct heap_piece *get_small(unsigned class) {
  lock_acquire(&heap.lock);
  struct heap_piece *piece = reuse_waiting(class);
  if (!piece)
    piece = cut((size_t)1 << class);
  lock_release(&heap.lock);
  return piece ? piece : cut_from_new((size_t)1 << class);
}

void *heap_get(size_t count, size_t size) {
  size_t needed;
  if (__builtin_mul_overflow(count, size, &needed) || needed > PTRDIFF_MAX)
    return NULL;
  size_t bytes = needed + sizeof(struct heap_piece);
  bool is_small = bytes <= (size_t)1 << CLASS_MAX;
  bytes = is_small ? (size_t)1 << class_of(bytes) : bytes;
  struct heap_piece *piece = is_small ? get_small(class_of(bytes)) : map(bytes);
  if (!piece)
    return NULL;
  piece->bytes = bytes;
  return memset(piece + 1, 0, is_small ? needed : 0);
}

void heap_free(void *memory) {
  struct heap_piece *piece = memory ? (struct heap_piece *)memory - 1 : NULL;
  if (!piece)
    return;
  if (piece->bytes > (size_t)1 << CLASS_MAX) {
    munmap(piece, piece->bytes);
    return;
  }
  unsigned class = class_of(piece->bytes);
  lock_acquire(&heap.lock);
  piece->next = heap.waiting[class];
  heap.waiting[class] = piece;
  lock_release(&heap.lock);
}
