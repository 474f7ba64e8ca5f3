#include "writer/definitions/regions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/otf2_newer.h"
#include "writer/archive/archive.h"
#include "writer/definitions/region_names.h"
#include "writer/recovery/recovery.h"
#include "writer/symbols/symbols_names.h"

enum { NOWHERE_MAX = 8 };

struct code_range {
  uint64_t base, size;
};

struct regions {
  struct symbols *symbols;
  struct recovery *recovery; /* or NULL */
  char *program;
  struct code_range nowhere[NOWHERE_MAX]; /* the runtime, then what starts programs and threads */
  size_t nowhere_count;
  bool uses_newer_words;
  struct region *all;
  size_t count, capacity;
  struct map by_place[CONSTRUCT_COUNT]; /* key: place and detail -> number + 1 */
  struct map by_text;                   /* key: hash of what the program has given -> number + 1 */
  /* the last answer for each construct: programs stay in their loops */
  struct {
    uint64_t address;
    uint32_t detail, id;
  } last[CONSTRUCT_COUNT];
};

static void forget_last(struct regions *regions) {
  for (size_t i = 0; i < CONSTRUCT_COUNT; i++)
    regions->last[i].id = REGION_NONE;
}

struct regions *regions_create(struct symbols *symbols, const char *program, uint64_t runtime_base,
                               uint64_t runtime_size) {
  struct regions *regions = memory_get(1, sizeof *regions);
  regions->symbols = symbols;
  regions->program = memory_get(strlen(program) + 1, 1);
  strcpy(regions->program, program);
  regions->nowhere[regions->nowhere_count++] = (struct code_range){runtime_base, runtime_size};
  forget_last(regions);
  return regions;
}

void regions_destroy(struct regions *regions) {
  if (!regions)
    return;
  for (size_t i = 0; i < regions->count; i++) {
    free(regions->all[i].name);
    free(regions->all[i].description);
    free(regions->all[i].given_name);
    free(regions->all[i].given_file);
  }
  map_clear(&regions->by_text);
  for (size_t i = 0; i < CONSTRUCT_COUNT; i++)
    map_clear(&regions->by_place[i]);
  free(regions->all);
  free(regions->program);
  free(regions);
}

const char *regions_program(const struct regions *regions) {
  return region_base_name(regions->program);
}

void regions_refer(struct regions *regions, uint32_t number) {
  if (number < regions->count)
    regions->all[number].is_referred_to = true;
}

static bool is_in(const struct code_range *range, uint64_t address) {
  return address - range->base < range->size;
}

bool regions_is_in_runtime(const struct regions *regions, uint64_t address) {
  return is_in(&regions->nowhere[0], address);
}

bool regions_is_nowhere(const struct regions *regions, uint64_t address) {
  for (size_t i = 0; i < regions->nowhere_count; i++)
    if (is_in(&regions->nowhere[i], address))
      return true;
  return address == 0;
}

void regions_add_module(struct regions *regions, uint64_t base, uint64_t size, const char *path) {
  forget_last(regions);
  if (name_starts_programs(path) && regions->nowhere_count < NOWHERE_MAX)
    regions->nowhere[regions->nowhere_count++] = (struct code_range){base, size};
}

static uint32_t add(struct regions *regions, enum construct construct, struct code_place *place,
                    uint32_t detail) {
  array_reserve_zeroed(&regions->all, &regions->capacity, regions->count + 1, sizeof *regions->all);
  regions->all[regions->count] = (struct region){.construct = construct, .detail = detail, .place = place};
  return (uint32_t)regions->count++;
}

/* A team's barriers are where its parallel region does. */
static enum place_kind kind_of_place(enum construct construct) {
  static const enum construct work[] = {
      CONSTRUCT_loop,       CONSTRUCT_loop_chunk, CONSTRUCT_sections,
      CONSTRUCT_section,    CONSTRUCT_single,     CONSTRUCT_single_sblock,
      CONSTRUCT_distribute, CONSTRUCT_scope,      CONSTRUCT_distribute_chunk};
  static const enum construct team[] = {CONSTRUCT_parallel, CONSTRUCT_teams, CONSTRUCT_implicit_barrier,
                                        CONSTRUCT_implicit_barrier_wait, CONSTRUCT_barrier_wait};
  for (size_t i = 0; i < sizeof work / sizeof *work; i++)
    if (work[i] == construct)
      return PLACE_WORK;
  for (size_t i = 0; i < sizeof team / sizeof *team; i++)
    if (team[i] == construct)
      return PLACE_PARALLEL;
  return PLACE_CONSTRUCT;
}

/* NULL: the address is 0, or there is no memory. */
static struct code_place *place_in(struct regions *regions, enum construct construct, uint64_t address,
                                   uint64_t around) {
  if (address == 0)
    return NULL;
  const struct code_place *outer =
      around ? symbols_request_in(regions->symbols, around, PLACE_PARALLEL, NULL) : NULL;
  return symbols_request_in(regions->symbols, address, kind_of_place(construct), outer);
}

/* Numbers are kept in the map as pointers, plus one; keys that collide go on to the next one. */
static uint32_t find_or_add(struct regions *regions, enum construct construct, uint64_t address,
                            uint32_t detail, uint64_t around) {
  struct code_place *place = place_in(regions, construct, address, around);
  struct map *map = &regions->by_place[construct];
  uint64_t key = ((uint64_t)(uintptr_t)place >> 4) + detail * UINT64_C(0x9e3779b97f4a7c15);
  for (uintptr_t found; (found = (uintptr_t)map_get(map, key)); key++) {
    const struct region *region = &regions->all[found - 1];
    if (region->place == place && region->detail == detail)
      return (uint32_t)(found - 1);
  }
  uint32_t id = add(regions, construct, place, detail);
  map_put(map, key, (void *)((uintptr_t)id + 1));
  journal_add_region(regions->recovery, &(struct journal_region){address, around, construct, detail});
  return id;
}

static char *copy_of(const char *text) {
  return strcpy(memory_get(strlen(text) + 1, 1), text);
}

static bool is_given(const struct region *region, enum construct construct, const char *name,
                     const char *file, uint32_t line) {
  return region->construct == construct && region->line == line && strcmp(region->given_name, name) == 0 &&
         strcmp(region->given_file, file) == 0;
}

static uint32_t add_given(struct regions *regions, enum construct construct, const char *name,
                          const char *file, uint32_t line) {
  uint32_t id = add(regions, construct, NULL, 0);
  struct region *region = &regions->all[id];
  region->given_name = copy_of(name);
  region->given_file = copy_of(file);
  region->line = line;
  return id;
}

static void append_given(struct regions *regions, const struct journal_user_region *entry, const char *name,
                         const char *file) {
  size_t bytes = entry->name_bytes + (size_t)entry->file_bytes;
  char *texts = memory_get(bytes + 1, 1);
  memcpy(texts, name, entry->name_bytes);
  memcpy(texts + entry->name_bytes, file, entry->file_bytes);
  journal_add_user_region(regions->recovery, entry, texts, bytes);
  free(texts);
}

uint32_t regions_user(struct regions *regions, enum construct construct, const char *name, const char *file,
                      uint32_t line, uint64_t address) {
  struct journal_user_region entry = {(uint32_t)construct, line, (uint32_t)strlen(name),
                                      (uint32_t)strlen(file)};
  uint64_t key = journal_sum(journal_sum(journal_sum(1, &entry, sizeof entry), name, entry.name_bytes), file,
                             entry.file_bytes);
  for (uintptr_t found; (found = (uintptr_t)map_get(&regions->by_text, key)); key++)
    if (is_given(&regions->all[found - 1], construct, name, file, line))
      return (uint32_t)(found - 1);
  if (*file && *file != '/' && address)
    find_or_add(regions, CONSTRUCT_control_tool, address, 0, 0); /* its place is one that full_path knows */
  uint32_t id = add_given(regions, construct, name, file, line);
  map_put(&regions->by_text, key, (void *)((uintptr_t)id + 1));
  append_given(regions, &entry, name, file);
  return id;
}

void regions_restore_user(struct regions *regions, enum construct construct, const char *name,
                          const char *file, uint32_t line) {
  add_given(regions, construct, name, file, line);
}

void regions_set_runtime(struct regions *regions, uint64_t base, uint64_t size) {
  regions->nowhere[0] = (struct code_range){base, size};
}

void regions_set_recovery(struct regions *regions, struct recovery *recovery) {
  regions->recovery = recovery;
}

void regions_restore(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail,
                     uint64_t around) {
  add(regions, construct, place_in(regions, construct, address, around), detail);
}

uint32_t regions_get_in(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail,
                        uint64_t around) {
  if (regions->last[construct].id != REGION_NONE && regions->last[construct].address == address &&
      regions->last[construct].detail == detail)
    return regions->last[construct].id;
  uint32_t id = find_or_add(regions, construct, address, detail, around);
  regions->last[construct].address = address;
  regions->last[construct].detail = detail;
  regions->last[construct].id = id;
  return id;
}

uint32_t regions_get(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail) {
  return regions_get_in(regions, construct, address, detail, 0);
}

uint64_t regions_address(const struct regions *regions, uint32_t id) {
  return id < regions->count && regions->all[id].place ? regions->all[id].place->address : 0;
}

bool regions_is(const struct regions *regions, uint32_t id, enum construct construct) {
  return id < regions->count && regions->all[id].construct == construct;
}

/* -- functions seen by samples -- */

static int compare_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "");
}

static char *function_name(const struct code_place *place) {
  if (code_place_resolved(place) && place->source.function)
    return region_text("%s", place->source.function);
  if (code_place_resolved(place) && place->symbol)
    return region_text("%s", place->symbol);
  return region_text("[%s]", place->module ? region_base_name(place->module->path) : "unknown module");
}

/* "libm.so.6, inlined into main": what the name alone does not show. */
static char *describe_function(const struct code_place *place) {
  const char *module = place->module ? region_base_name(place->module->path) : "unknown module";
  bool is_inlined = code_place_resolved(place) && place->n_inlined > 0;
  const char *into = is_inlined ? place->inlined[place->n_inlined - 1].function : NULL;
  return into ? region_text("%s, inlined into %s", module, into) : region_text("%s", module);
}

static enum construct construct_of_function(const char *name, bool is_in_runtime) {
  if (strncmp(name, "omp_", 4) == 0)
    return CONSTRUCT_runtime_routine;
  return is_in_runtime ? CONSTRUCT_runtime_function : CONSTRUCT_function;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash;
}

/* Equal functions are one region from the beginning, so that no number needs to be mapped for their sake. */
uint32_t regions_function(struct regions *regions, const struct code_place *place, bool is_in_runtime) {
  char *name = function_name(place), *description = describe_function(place);
  const char *file = code_place_resolved(place) ? place->source.file : NULL;
  file = file && *file == '/' ? file : region_module_file(place);
  enum construct construct = construct_of_function(name, is_in_runtime);
  struct map *map = &regions->by_place[construct];
  uint64_t key =
      hash_text(hash_text(hash_text(UINT64_C(0xcbf29ce484222325), name), description), file ? file : "");
  for (uintptr_t found; (found = (uintptr_t)map_get(map, key)); key++) {
    const struct region *region = &regions->all[found - 1];
    if (strcmp(region->name, name) || strcmp(region->description, description) ||
        compare_text(region->file, file))
      continue;
    free(name);
    free(description);
    return (uint32_t)(found - 1);
  }
  uint32_t id = add(regions, construct, NULL, 0);
  regions->all[id].name = name;
  regions->all[id].description = description;
  regions->all[id].file = file;
  map_put(map, key, (void *)((uintptr_t)id + 1));
  return id;
}

/* By everything that a definition shows, then by number, so that the first one stays. */
static int compare(const void *left, const void *right) {
  const struct region *a = *(struct region *const *)left, *b = *(struct region *const *)right;
  int order = strcmp(a->name, b->name);
  order = order ? order : strcmp(a->description, b->description);
  order = order ? order : compare_text(a->file, b->file);
  order = order ? order : (a->role > b->role) - (a->role < b->role);
  return order ? order : (a->paradigm > b->paradigm) - (a->paradigm < b->paradigm);
}

static int compare_with_number(const void *left, const void *right) {
  int order = compare(left, right);
  const struct region *a = *(struct region *const *)left, *b = *(struct region *const *)right;
  return order ? order : (a > b) - (a < b);
}

/* Lets every region point to the first of its equals (as a number given out). */
static void find_equals(struct regions *regions) {
  struct region **sorted = memory_get(regions->count, sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < regions->count; i++)
    if (regions->all[i].is_referred_to)
      sorted[count++] = &regions->all[i];
  if (count)
    qsort(sorted, count, sizeof *sorted, compare_with_number);
  for (size_t i = 0, first = 0; i < count; i++) {
    if (compare(&sorted[first], &sorted[i]) != 0)
      first = i;
    sorted[i]->final_id = (uint32_t)(sorted[first] - regions->all);
  }
  free(sorted);
}

static uint32_t renumber(struct regions *regions) {
  uint32_t different = 0;
  find_equals(regions);
  for (size_t i = 0; i < regions->count; i++) {
    struct region *region = &regions->all[i];
    if (!region->is_referred_to)
      region->final_id = REGION_NONE;
    else
      region->final_id = region->final_id == i ? different++ : regions->all[region->final_id].final_id;
  }
  return different;
}

void regions_use_newer_words(struct regions *regions) {
  regions->uses_newer_words = true;
}

static void use_newer_words(struct region *region) {
  if (region->construct == CONSTRUCT_cancel)
    region->role = NEWER_ROLE_CANCEL;
  if (region->construct == CONSTRUCT_cuda_kernel)
    region->role = NEWER_ROLE_KERNEL;
  if (region->construct == CONSTRUCT_target_kernel) {
    region->role = NEWER_ROLE_KERNEL;
    region->paradigm = NEWER_PARADIGM_OPENMP_TARGET;
  }
}

/* A mapping of so many would not fit into the archive: each number is a region of its own. */
static uint32_t keep_numbers(struct regions *regions) {
  for (size_t i = 0; i < regions->count; i++)
    regions->all[i].final_id = (uint32_t)i;
  return (uint32_t)regions->count;
}

uint32_t regions_finish(struct regions *regions) {
  bool keeps_numbers = regions->count > ARCHIVE_MEMBERS_MAX;
  struct naming *naming = naming_create(regions->all, regions->count, regions->program);
  for (size_t i = 0; i < regions->count; i++) {
    struct region *region = &regions->all[i];
    if (!region->is_referred_to && !keeps_numbers)
      continue;
    region_name(naming, region);
    if (regions->uses_newer_words)
      use_newer_words(region);
    if (!region->canonical_name)
      region->canonical_name = region->name;
  }
  naming_destroy(naming);
  return keeps_numbers ? keep_numbers(regions) : renumber(regions);
}

const struct region *regions_all(const struct regions *regions, size_t *ret_count) {
  *ret_count = regions->count;
  return regions->all;
}
