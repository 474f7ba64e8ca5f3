#include "export/fragment.h"

#include <errno.h>
#include <stdlib.h>

int fragments_open(struct fragments *ret, size_t count, fragments_describe describe, const void *data) {
  *ret = (struct fragments){.describe = describe, .data = data, .count = count};
  ret->all = calloc(count + 1, sizeof *ret->all);
  ret->maker = malloc(sizeof *ret->maker);
  return ret->all && ret->maker ? 0 : -ENOMEM;
}

static int make(struct fragments *fragments, size_t index) {
  sink_open_memory(fragments->maker, &fragments->all[index]);
  fragments->describe(fragments->maker, fragments->data, index);
  return sink_finish(fragments->maker);
}

void fragments_write(struct fragments *fragments, struct sink *sink, size_t index) {
  const struct sink_memory *fragment = &fragments->all[index];
  if (!fragment->bytes && make(fragments, index) < 0)
    sink->error = ENOMEM;
  else
    sink_bytes(sink, fragment->bytes, fragment->count);
}

void fragments_close(struct fragments *fragments) {
  for (size_t i = 0; fragments->all && i < fragments->count; i++)
    free(fragments->all[i].bytes);
  free(fragments->all);
  free(fragments->maker);
  *fragments = (struct fragments){0};
}
