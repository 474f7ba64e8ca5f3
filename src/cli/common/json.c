#include "cli/common/json.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

static void *get(size_t bytes) {
  return memory_resize(NULL, bytes ? bytes : 1, 1);
}

void json_need_memory(void) {
  json_set_alloc_funcs(get, free);
}

json_t *json_from_text(const char *text) {
  if (!text)
    return json_null();
  char *clean = utf8_clean(text);
  json_t *string = json_string_nocheck(clean);
  free(clean);
  return string;
}

json_t *json_from_number(uint64_t number) {
  return json_integer((json_int_t)number);
}

void json_put(json_t *object, const char *name, json_t *value) {
  char *clean = utf8_clean(name);
  json_object_set_new_nocheck(object, clean, value);
  free(clean);
}

void json_print(json_t *object) {
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
}
