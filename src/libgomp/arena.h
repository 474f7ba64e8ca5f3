/* A thread's memory for what lasts as long as a call of the program: tasks that run immediately, regions,
 * taskloops. Beside the stack, of which the program has as much as without this library. */
#ifndef STAVE_LIBGOMP_ARENA_H
#define STAVE_LIBGOMP_ARENA_H

#include <stddef.h>

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

enum arena_kind { ARENA_TASKS, ARENA_TEAMS, ARENA_TASKLOOPS, ARENA_KINDS };

/* Zeroed: empty. What is given back is taken first, in whatever order that is: a program may leave a task by
 * longjmp(3), or go on with another stack inside. */
struct arena {
  struct arena_item {
    struct arena_item *next;
  } * spare[ARENA_KINDS];
  struct arena_chunk *chunks;
  char *begin, *end; /* of what has never been taken */
};

/* From what has never been taken. NULL: there is no memory. */
void *arena_get_new(struct arena *arena, size_t bytes) __attribute__((cold));

/* What is new is spare. */
void arena_add(struct arena *arena, enum arena_kind kind, size_t bytes) __attribute__((cold));

/* `bytes` is the same for all of a kind. */
static inline void *arena_get(struct arena *arena, enum arena_kind kind, size_t bytes) {
  struct arena_item *item = arena->spare[kind];
  if (UNLIKELY(!item))
    return arena_get_new(arena, bytes);
  arena->spare[kind] = item->next;
  return item;
}

/* Whether the next one of the kind can be had. */
static inline int arena_has(struct arena *arena, enum arena_kind kind, size_t bytes) {
  if (UNLIKELY(!arena->spare[kind]))
    arena_add(arena, kind, bytes);
  return arena->spare[kind] != NULL;
}

/* Its first word is written. */
static inline void arena_give(struct arena *arena, enum arena_kind kind, void *given) {
  struct arena_item *item = given;
  item->next = arena->spare[kind];
  arena->spare[kind] = item;
}

/* All of it, as the thread ends. */
void arena_end(struct arena *arena);

#endif
