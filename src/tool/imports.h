/* Which functions what is loaded calls. */
#ifndef STAVE_TOOL_IMPORTS_H
#define STAVE_TOOL_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the executable or a library that is loaded now refers to one of the functions as another's. */
struct import_query {
  const char *const *names; /* NULL ends them; of all queries together 16 at most */
  bool is_called;           /* also where nobody can know (import_names.c) */
};

/* Answers all queries, for which each file is read once: some 0.1 ms with few libraries. Waits for no lock.
 */
void imports_find(struct import_query *queries, size_t count);

/* The answer to one. */
bool imports_any(const char *const *names);

/* A place at which a loaded object keeps the address of another object's function, to call it. */
struct import {
  size_t name; /* its index */
  void **place;
  bool is_read_only; /* the dynamic linker has protected it */
};

/* Shows all such places of the functions. No object can come or go meanwhile: the dynamic linker's lock is
 * held, which the program may hold, too. Only as OpenMP starts or ends in a program for which imports_any is
 * true. */
void imports_visit(const char *const *names, void (*visit)(const struct import *import));

/* The function of this name in the object that has the address `inside`; NULL: there is none. As
 * imports_visit. */
void *imports_function(const void *inside, const char *name);

#endif
