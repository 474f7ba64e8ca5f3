/* A growing list of distinct strings. */
#ifndef STAVE_CLI_COMMON_STRING_LIST_H
#define STAVE_CLI_COMMON_STRING_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct string_list {
  char **items; /* owned */
  size_t count, capacity;
};

/* Adds a copy unless it is there already (or memory ran out). True if it was added. */
bool string_list_add(struct string_list *list, const char *text);

/* Frees everything and leaves an empty list. */
void string_list_clear(struct string_list *list);

#endif
