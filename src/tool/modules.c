/* Which executable or library holds a code address: found once a module, published as a record, so that the
 * writer knows even after the module was closed or the process has died. */
#include <errno.h>
#include <string.h>

#include "tool/loaded.h"
#include "tool/thread.h"

enum { PATH_BYTES_MAX = 3800, QUERY_EVERY_NS = 10000000 };

/* What goes into a module record: see records.def. */
struct module_words {
  uint64_t bias;
  uint64_t build_id_bytes;
  unsigned char rest[4096 - 2 * RECORD_BYTES];
};

static struct known_module *find_known(uint64_t address) {
  uint32_t count = atomic_load_explicit(&tool.modules.count, memory_order_acquire);
  for (uint32_t i = 0; i < count && i < KNOWN_MODULES_MAX; i++) {
    struct known_module *known = &tool.modules.rows[i];
    uint64_t base = atomic_load_explicit(&known->base, memory_order_acquire);
    if (base && address - base < known->size)
      return known;
  }
  return NULL;
}

/* Another thread may empty the row meanwhile: its base is 0 then. */
static struct module_range range_of(const struct known_module *known) {
  return (struct module_range){atomic_load_explicit(&known->base, memory_order_relaxed), known->size};
}

void modules_forget(void) {
  for (uint32_t i = 0; i < KNOWN_MODULES_MAX; i++)
    atomic_store_explicit(&tool.modules.rows[i].base, 0, memory_order_relaxed);
  atomic_store(&tool.modules.count, 0);
}

/* Two threads may add the same module at the same time: it is published twice then, which harms nobody. */
static void add_known(const struct loaded *loaded, bool is_permanent, uint64_t identity) {
  uint32_t i = atomic_fetch_add_explicit(&tool.modules.count, 1, memory_order_relaxed);
  if (i >= KNOWN_MODULES_MAX) {
    atomic_store_explicit(&tool.modules.count, KNOWN_MODULES_MAX, memory_order_relaxed);
    return;
  }
  tool.modules.rows[i].size = loaded->size;
  tool.modules.rows[i].is_permanent = is_permanent;
  tool.modules.rows[i].identity = identity;
  atomic_store_explicit(&tool.modules.rows[i].base, loaded->base, memory_order_release);
}

/* The executable has no name in the list of libraries. */
static const char *program_path(void) {
  return tool.constants.program;
}

static uint64_t append(struct module_words *words, uint64_t used, const void *bytes, uint64_t count) {
  memcpy(words->rest + used, bytes, count);
  return used + count;
}

static void publish(const struct loaded *loaded, uint64_t ticks) {
  struct module_words words = {.bias = loaded->bias, .build_id_bytes = loaded->build_id_bytes};
  const char *path = *loaded->path ? loaded->path : program_path();
  uint64_t path_bytes = strnlen(path, PATH_BYTES_MAX);
  uint64_t used = append(&words, 0, loaded->build_id, loaded->build_id_bytes);
  used = append(&words, used, path, path_bytes);
  const struct record_module record = {.type = RECORD_module,
                                       .ticks = ticks,
                                       .base = loaded->base,
                                       .size = loaded->size,
                                       .path_bytes = (uint32_t)path_bytes,
                                       .more = (uint8_t)((2 * 8 + used + RECORD_BYTES - 1) / RECORD_BYTES)};
  thread_put((const struct record *)&record, (const uint64_t *)&words);
}

static bool was_there_at_start(uint64_t base) {
  for (uint32_t i = 0; i < tool.modules.start_count; i++)
    if (tool.modules.start_bases[i] == base)
      return true;
  return false;
}

static void publish_and_add(const struct loaded *loaded, uint64_t address, uint64_t ticks) {
  bool is_permanent = was_there_at_start(loaded->base);
  publish(loaded, ticks);
  add_known(loaded, is_permanent, is_permanent ? 0 : loaded_identity(address, LOADED_MAY_GO));
}

/* Where the list of mappings has to be read for it, not more often than that costs nothing. */
static bool is_query_due(void) {
  if (loaded_queries_linker())
    return true;
  uint64_t now = clock_ns(CLOCK_MONOTONIC), last = atomic_load(&tool.modules.queried_ns);
  return now - last >= QUERY_EVERY_NS && atomic_compare_exchange_strong(&tool.modules.queried_ns, &last, now);
}

/* Whether the row's library is still there. One of another library is emptied. */
static bool is_still(struct known_module *known, uint64_t address, enum loaded_use use) {
  if (known->is_permanent || !is_query_due() || loaded_identity(address, use) == known->identity)
    return true;
  atomic_store_explicit(&known->base, 0, memory_order_release);
  return false;
}

static void know_range(const struct module_range *range, bool is_permanent) {
  thread_self->module_base = range->base;
  thread_self->module_size = range->size;
  thread_self->module_may_close = !is_permanent;
}

static void publish_new(uint64_t codeptr, uint64_t ticks) {
  struct loaded loaded;
  if (!loaded_find(codeptr, &loaded))
    return;
  publish_and_add(&loaded, codeptr, ticks);
  if (tool.constants.config.callers > 0)
    modules_publish_all(ticks); /* with it others were loaded, which call it */
  know_range(&(struct module_range){loaded.base, loaded.size}, was_there_at_start(loaded.base));
}

static void publish_place(uint64_t codeptr, uint64_t ticks) {
  if (!thread_has_ring(ticks))
    return;
  struct known_module *known = find_known(codeptr);
  struct module_range range = known ? range_of(known) : (struct module_range){0, 0};
  if (range.base && is_still(known, codeptr, LOADED_MAY_GO))
    know_range(&range, known->is_permanent);
  else
    publish_new(codeptr, ticks);
}

void thread_publish_module(uint64_t codeptr, uint64_t ticks) {
  int error = errno;
  publish_place(codeptr, ticks);
  errno = error;
}

/* Addresses of code lie in libraries' own mappings of it. */
static bool publish_if_new(const struct own_mapping *mapped, void *data) {
  const uint64_t *ticks = data;
  struct loaded loaded;
  if (mapped->is_code && *mapped->path && !find_known(mapped->begin) && loaded_find(mapped->begin, &loaded))
    publish_and_add(&loaded, mapped->begin, *ticks);
  return false;
}

void modules_publish_all(uint64_t ticks) {
  own_memory_each(publish_if_new, &ticks);
}

bool modules_range(uint64_t address, struct module_range *ret) {
  const struct known_module *known = find_known(address);
  if (!known)
    return false;
  *ret = range_of(known);
  return ret->base != 0;
}

bool modules_know(uint64_t address) {
  return find_known(address) != NULL;
}

void thread_recheck_code(uint64_t codeptr) {
  int error = errno;
  struct known_module *known = find_known(codeptr);
  if (!known || !is_still(known, codeptr, LOADED_IN_USE))
    thread_self->module_base = thread_self->module_size = 0; /* looked up again */
  errno = error;
}

static bool note_base(const struct own_mapping *mapped, void *data) {
  (void)data;
  bool is_new = mapped->is_code && mapped->file_begin && !was_there_at_start(mapped->file_begin);
  if (is_new && tool.modules.start_count < KNOWN_MODULES_MAX)
    tool.modules.start_bases[tool.modules.start_count++] = mapped->file_begin;
  return false;
}

void modules_note_start(void) {
  tool.modules.start_count = 0;
  own_memory_each(note_base, NULL);
}

void modules_find_runtime(uint64_t address) {
  struct loaded loaded;
  if (!loaded_find(address, &loaded))
    return;
  tool.constants.runtime_base = loaded.base;
  tool.constants.runtime_size = loaded.size;
}
