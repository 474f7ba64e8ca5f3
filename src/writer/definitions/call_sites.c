#include "writer/definitions/call_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "writer/recovery/recovery.h"

struct call_sites {
  struct symbols *symbols;
  struct recovery *recovery; /* or NULL */
  struct code_place **all;   /* by number */
  size_t count, capacity;
  struct map numbers; /* key: the place -> number + 1 */
};

struct call_sites *call_sites_create(struct symbols *symbols) {
  struct call_sites *sites = memory_get(1, sizeof *sites);
  sites->symbols = symbols;
  return sites;
}

void call_sites_destroy(struct call_sites *sites) {
  if (!sites)
    return;
  map_clear(&sites->numbers);
  free(sites->all);
  free(sites);
}

void call_sites_set_recovery(struct call_sites *sites, struct recovery *recovery) {
  sites->recovery = recovery;
}

static uint32_t add(struct call_sites *sites, struct code_place *place) {
  array_reserve_zeroed(&sites->all, &sites->capacity, sites->count + 1, sizeof *sites->all);
  sites->all[sites->count] = place;
  return (uint32_t)sites->count++;
}

uint32_t call_sites_get(struct call_sites *sites, uint64_t address) {
  struct code_place *place = symbols_request(sites->symbols, address);
  uint64_t key = (uint64_t)(uintptr_t)place;
  uintptr_t found = (uintptr_t)map_get(&sites->numbers, key);
  if (found)
    return (uint32_t)(found - 1);
  uint32_t number = add(sites, place);
  map_put(&sites->numbers, key, (void *)((uintptr_t)number + 1));
  journal_add_call_site(sites->recovery, &address);
  return number;
}

void call_sites_restore(struct call_sites *sites, uint64_t address) {
  add(sites, symbols_request(sites->symbols, address));
}

uint32_t call_sites_count(const struct call_sites *sites) {
  return (uint32_t)sites->count;
}

unsigned call_sites_place(const struct call_sites *sites, uint32_t number, char **ret_text) {
  const struct code_place *place = sites->all[number];
  if (code_place_resolved(place) && place->source.file && place->source.line) {
    *ret_text = strdup(place->source.file);
    return place->source.line;
  }
  const char *path = place->module ? place->module->path : "unknown module";
  if (asprintf(ret_text, "%s+0x%" PRIx64, path, code_place_offset(place)) < 0)
    *ret_text = NULL;
  return 0;
}
