#include "cli/common/memory.h"

#include "cli/common/message.h"
#include "cli/common/usage.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* Without exit's handlers: what stdout still holds is not all of it. */
void *memory_needed(void *memory) {
  if (memory)
    return memory;
  message_print("out of memory");
  _exit(EXIT_FAILED);
}

static void *json_memory(size_t bytes) {
  return memory_needed(malloc(bytes ? bytes : 1));
}

void memory_needed_by_json(void) {
  json_set_alloc_funcs(json_memory, free);
}
