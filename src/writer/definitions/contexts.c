#include "writer/definitions/contexts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "writer/recovery/recovery.h"

struct contexts {
  struct symbols *symbols;
  struct regions *regions;
  struct recovery *recovery; /* or NULL */
  struct calling_context *all;
  size_t count, capacity;
  struct map numbers; /* by parent and what the node is -> number + 1 */
};

struct contexts *contexts_create(struct symbols *symbols, struct regions *regions) {
  struct contexts *contexts = memory_get(1, sizeof *contexts);
  contexts->symbols = symbols;
  contexts->regions = regions;
  return contexts;
}

void contexts_destroy(struct contexts *contexts) {
  if (!contexts)
    return;
  map_clear(&contexts->numbers);
  free(contexts->all);
  free(contexts);
}

static bool is_same(const struct calling_context *a, const struct calling_context *b) {
  return a->parent == b->parent && a->place == b->place && a->is_in_runtime == b->is_in_runtime &&
         (a->place || a->region == b->region);
}

static uint64_t key_of(const struct calling_context *context) {
  uint64_t what =
      context->place ? (uint64_t)(uintptr_t)context->place + context->is_in_runtime : context->region;
  uint64_t key = (what ^ (uint64_t)context->parent << 32) * UINT64_C(0x9e3779b97f4a7c15);
  return key ^ key >> 32;
}

static uint32_t add(struct contexts *contexts, struct calling_context context) {
  context.depth = context.parent == CONTEXT_NONE ? 1 : contexts->all[context.parent].depth + 1;
  array_reserve_zeroed(&contexts->all, &contexts->capacity, contexts->count + 1, sizeof *contexts->all);
  contexts->all[contexts->count] = context;
  return (uint32_t)contexts->count++;
}

static void append_to_journal(const struct contexts *contexts, const struct calling_context *context) {
  struct journal_context entry = {.address = context->place ? context->place->address : 0,
                                  .parent = context->parent,
                                  .region = context->region,
                                  .is_in_runtime = context->is_in_runtime};
  journal_add_context(contexts->recovery, &entry);
}

/* Numbers are kept in the map as pointers, plus one; keys that collide go on to the next one. */
static uint32_t find_or_add(struct contexts *contexts, struct calling_context context) {
  uint64_t key = key_of(&context);
  for (uintptr_t found; (found = (uintptr_t)map_get(&contexts->numbers, key)); key++)
    if (is_same(&contexts->all[found - 1], &context))
      return (uint32_t)(found - 1);
  uint32_t number = add(contexts, context);
  map_put(&contexts->numbers, key, (void *)((uintptr_t)number + 1));
  append_to_journal(contexts, &context);
  return number;
}

void contexts_set_recovery(struct contexts *contexts, struct recovery *recovery) {
  contexts->recovery = recovery;
}

void contexts_restore(struct contexts *contexts, uint32_t parent, uint32_t region, uint64_t address,
                      bool is_in_runtime) {
  struct code_place *place = address ? symbols_request(contexts->symbols, address) : NULL;
  add(contexts, (struct calling_context){
                    .parent = parent, .region = region, .place = place, .is_in_runtime = is_in_runtime});
}

uint32_t contexts_construct(struct contexts *contexts, uint32_t parent, uint32_t region) {
  return find_or_add(contexts, (struct calling_context){.parent = parent, .region = region});
}

uint32_t contexts_code(struct contexts *contexts, uint32_t parent, uint64_t address, bool is_in_runtime) {
  struct code_place *place = symbols_request(contexts->symbols, address);
  if (!place)
    return parent;
  return find_or_add(
      contexts, (struct calling_context){.parent = parent, .place = place, .is_in_runtime = is_in_runtime});
}

uint32_t contexts_distance(const struct contexts *contexts, uint32_t from, uint32_t to) {
  uint32_t common = to, distance = 1;
  while (from != common) {
    uint32_t from_depth = from == CONTEXT_NONE ? 0 : contexts->all[from].depth;
    if (contexts->all[common].depth > from_depth) {
      common = contexts->all[common].parent;
      distance++;
    } else {
      from = contexts->all[from].parent;
    }
    if (common == CONTEXT_NONE)
      return distance;
  }
  return distance;
}

void contexts_resolve_again(struct contexts *contexts) {
  for (size_t i = 0; i < contexts->count; i++) {
    struct calling_context *context = &contexts->all[i];
    if (context->place && !context->place->module)
      context->place = symbols_request(contexts->symbols, context->place->address);
  }
}

void contexts_finish(struct contexts *contexts) {
  for (size_t i = 0; i < contexts->count; i++) {
    struct calling_context *context = &contexts->all[i];
    if (context->place)
      context->region = regions_function(contexts->regions, context->place, context->is_in_runtime);
    regions_refer(contexts->regions, context->region);
  }
}

const struct calling_context *contexts_all(const struct contexts *contexts, size_t *ret_count) {
  *ret_count = contexts->count;
  return contexts->all;
}
