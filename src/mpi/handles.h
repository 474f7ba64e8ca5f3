/* What Stave keeps of the program's windows and files, by their handles: a table that is locked, after a
 * small one of each thread's that is not. */
#ifndef STAVE_MPI_HANDLES_H
#define STAVE_MPI_HANDLES_H

#include "mpi/call.h"
#include "mpi/lock.h"

enum { HANDLE_PLACES = 64 };

/* The first member of what is kept; the table's until handle_remove. */
struct handle_item {
  word handle;
  struct handle_item *next; /* with the same place in the table */
};

struct handles {
  struct own_lock lock;
  struct handle_item *places[HANDLE_PLACES];
  _Atomic uint64_t generation; /* changes with whatever is taken */
  _Atomic uint32_t count;      /* numbers given out */
};

#define HANDLES                                                                                              \
  { .lock = LOCK_FREE, .generation = 1 }

/* Keeps it under item->handle. */
void handle_add(struct handles *handles, struct handle_item *item);

/* NULL: there is none. Valid until it is removed. */
struct handle_item *handle_find(struct handles *handles, word handle);

/* Removes it, before the program's call frees the handle, which may be another one's immediately; the
 * caller's to free. NULL: there is none. */
struct handle_item *handle_remove(struct handles *handles, word handle);

#endif
