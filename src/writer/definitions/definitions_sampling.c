/* What samples refer to. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/definitions/definitions_write.h"

static void write_generator(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t hz) {
  enum { NANO = -9 };
  OTF2_GlobalDefWriter_WriteInterruptGenerator(
      w, GENERATOR_TIMER, definitions_write_string(definitions, "timer of each thread"),
      OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, NANO, 1000000000 / hz);
}

/* Source code locations by file and line: numbers are kept as pointers, plus one. */
struct source_locations {
  struct map numbers;
  uint32_t count;
};

static uint32_t source_location(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                struct source_locations *locations, const struct code_place *place) {
  if (!place || !code_place_resolved(place) || !place->source.file || !place->source.line)
    return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
  uint32_t file = definitions_write_string(definitions, place->source.file);
  uint64_t key = (uint64_t)file << 32 | place->source.line;
  uintptr_t found = (uintptr_t)map_get(&locations->numbers, key);
  if (found)
    return (uint32_t)(found - 1);
  OTF2_GlobalDefWriter_WriteSourceCodeLocation(w, locations->count, file, place->source.line);
  map_put(&locations->numbers, key, (void *)(uintptr_t)(locations->count + 1));
  return locations->count++;
}

/* Where the code is, as in its file: distinguishes two addresses in one line, the same in every run. */
static void write_address(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t number,
                          const struct code_place *place) {
  char text[512];
  const char *path = place->module ? place->module->path : "", *slash = strrchr(path, '/');
  snprintf(text, sizeof text, "%s+0x%" PRIx64, slash ? slash + 1 : path, code_place_offset(place));
  OTF2_AttributeValue value = {.stringRef = definitions_write_string(definitions, text)};
  OTF2_GlobalDefWriter_WriteCallingContextProperty(
      w, number, definitions_write_string(definitions, "code address"), OTF2_TYPE_STRING, value);
}

static void write_contexts(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                           const struct regions *regions, const struct contexts *contexts) {
  size_t count, region_count;
  const struct calling_context *all = contexts_all(contexts, &count);
  const struct region *region = regions_all(regions, &region_count);
  struct source_locations locations = {.count = 0};
  for (size_t i = 0; i < count; i++) {
    uint32_t source = source_location(definitions, w, &locations, all[i].place);
    uint32_t parent = all[i].parent == CONTEXT_NONE ? OTF2_UNDEFINED_CALLING_CONTEXT : all[i].parent;
    OTF2_GlobalDefWriter_WriteCallingContext(w, (uint32_t)i, region[all[i].region].final_id, source, parent);
    if (all[i].place)
      write_address(definitions, w, (uint32_t)i, all[i].place);
  }
  map_clear(&locations.numbers);
}

void definitions_write_sampling(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const struct regions *regions, const struct contexts *contexts,
                                const struct run *run) {
  uint32_t hz = run->constants->config.sample_hz;
  if (hz > 0)
    write_generator(definitions, w, hz);
  write_contexts(definitions, w, regions, contexts);
}
