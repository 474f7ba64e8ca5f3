#include "played.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/archive/archive.h"
#include "writer/definitions/definitions.h"
#include "writer/symbols/symbols.h"
#include "writer/symbols/symbols_bfd.h"

/* -- in place of the archive -- */

uint64_t archive_expect_more(struct archive *archive, uint32_t location, uint64_t events) {
  (void)archive, (void)location, (void)events;
  return UINT64_MAX;
}

int archive_stop_error(const struct archive *archive) {
  (void)archive;
  return 0;
}

/* Definitions are not written. */
OTF2_GlobalDefWriter *archive_global(struct archive *archive) {
  (void)archive;
  return NULL;
}

int archive_end_events(struct archive *archive, uint64_t members_most) {
  (void)archive, (void)members_most;
  return 0;
}

void archive_write_local(struct archive *archive, const uint32_t *mapping, uint32_t count) {
  (void)archive, (void)mapping, (void)count;
}

/* -- in place of the symbols -- */

static struct map places;

struct code_place *symbols_request(struct symbols *symbols, uint64_t address) {
  struct code_place *place = map_get(&places, address);
  (void)symbols;
  if (place)
    return place;
  place = memory_get(1, sizeof *place);
  place->address = address;
  atomic_init(&place->resolved, true);
  map_put(&places, address, place);
  return place;
}

struct code_place *symbols_request_in(struct symbols *symbols, uint64_t address, enum place_kind kind,
                                      const struct code_place *around) {
  (void)kind;
  (void)around;
  return symbols_request(symbols, address);
}

struct code_place *symbols_request_variable(struct symbols *symbols, uint64_t address) {
  (void)symbols, (void)address;
  return NULL;
}

/* Of another file than those of the symbols: symbols_bfd.c. */
char *symbol_demangle(const char *name) {
  (void)name;
  return NULL;
}

static void forget_places(void) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&places, &position));)
    free(entry->value);
  map_clear(&places);
  places = (struct map){0};
}

/* -- the writer -- */

enum { RUNTIME_BASE = 0x7000000, RUNTIME_BYTES = 0x1000 };

void played_open(struct played *played, const char *program, const struct session_name *states) {
  played->modules = modules_create();
  played->definitions = definitions_create((struct archive *)played);
  played->regions = regions_create(NULL, program, RUNTIME_BASE, RUNTIME_BYTES);
  played->contexts = contexts_create(NULL, played->regions);
  emitter_open(&played->emitter, played->definitions, played->regions, played->contexts);
  correlator_open(&played->correlator, &played->emitter, played->definitions, played->regions,
                  played->modules, played->contexts, states);
}

void played_finish(struct played *played) {
  cuda_end(&played->correlator);
  correlate_end(&played->correlator, 0);
  contexts_finish(played->contexts);
  regions_finish(played->regions);
}

void played_close(struct played *played) {
  cuda_free(&played->correlator);
  correlator_close(&played->correlator);
  emitter_close(&played->emitter);
  definitions_destroy(played->definitions);
  contexts_destroy(played->contexts);
  regions_destroy(played->regions);
  modules_destroy(played->modules);
  forget_places();
}
