#include "export/fragment.h"

#include <stdlib.h>

#include "base/memory.h"

void fragments_open(struct fragments *ret, size_t count, fragments_describe describe, const void *data) {
  *ret = (struct fragments){.describe = describe,
                            .data = data,
                            .all = memory_get(count, sizeof *ret->all),
                            .count = count,
                            .maker = memory_get(1, sizeof *ret->maker)};
}

void fragments_write(struct fragments *fragments, struct sink *sink, size_t index) {
  struct sink_memory *fragment = &fragments->all[index];
  if (!fragment->bytes) {
    sink_open_memory(fragments->maker, fragment);
    fragments->describe(fragments->maker, fragments->data, index);
    sink_finish(fragments->maker);
  }
  sink_bytes(sink, fragment->bytes, fragment->count);
}

void fragments_close(struct fragments *fragments) {
  for (size_t i = 0; i < fragments->count; i++)
    free(fragments->all[i].bytes);
  free(fragments->all);
  free(fragments->maker);
  *fragments = (struct fragments){0};
}
