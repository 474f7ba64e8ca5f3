#include "cli/common/string_list.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool string_list_add(struct string_list *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i], text) == 0)
      return false;
  char *copy = strdup(text);
  if (!copy || !array_try_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
    free(copy);
    return false;
  }
  list->items[list->count++] = copy;
  return true;
}

void string_list_clear(struct string_list *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i]);
  free(list->items);
  *list = (struct string_list){0};
}
