/* Which executable or library holds a code address: found once a module, published as a record, so that the
 * writer knows even after the module was closed or the process has died. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tool/thread.h"

enum { BUILD_ID_BYTES_MAX = 64, PATH_BYTES_MAX = 3800 };

/* What goes into a module record: see records.def. */
struct module_words {
  uint64_t bias;
  uint64_t build_id_bytes;
  unsigned char rest[4096 - 2 * RECORD_BYTES];
};

struct found_module {
  uint64_t base, size, bias;
  const char *path;
  const unsigned char *build_id;
  uint64_t build_id_bytes;
};

static struct known_module *find_known(uint64_t address) {
  uint32_t count = atomic_load_explicit(&tool.modules_count, memory_order_acquire);
  for (uint32_t i = 0; i < count && i < KNOWN_MODULES_MAX; i++) {
    struct known_module *known = &tool.modules[i];
    uint64_t base = atomic_load_explicit(&known->base, memory_order_acquire);
    if (base && address - base < known->size)
      return known;
  }
  return NULL;
}

void modules_forget(void) {
  for (uint32_t i = 0; i < KNOWN_MODULES_MAX; i++)
    atomic_store_explicit(&tool.modules[i].base, 0, memory_order_relaxed);
  atomic_store(&tool.modules_count, 0);
}

/* Two threads may add the same module at once: it is published twice then, which harms nobody. */
static void add_known(uint64_t base, uint64_t size, bool is_permanent) {
  uint32_t i = atomic_fetch_add_explicit(&tool.modules_count, 1, memory_order_relaxed);
  if (i >= KNOWN_MODULES_MAX) {
    atomic_store_explicit(&tool.modules_count, KNOWN_MODULES_MAX, memory_order_relaxed);
    return;
  }
  tool.modules[i].size = size;
  tool.modules[i].is_permanent = is_permanent;
  atomic_store_explicit(&tool.modules[i].base, base, memory_order_release);
}

/* The build id lies in a note of the mapped file (elf(5), NT_GNU_BUILD_ID). */
static void read_note(const char *note, uint64_t bytes, struct found_module *module) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *header = (const void *)note;
    uint64_t name = (header->n_namesz + 3u) & ~3u,
             all = sizeof *header + name + ((header->n_descsz + 3u) & ~3u);
    if (all > bytes)
      return;
    if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
        !memcmp(note + sizeof *header, "GNU", 4) && header->n_descsz <= BUILD_ID_BYTES_MAX) {
      module->build_id = (const unsigned char *)note + sizeof *header + name;
      module->build_id_bytes = header->n_descsz;
    }
    note += all;
    bytes -= all;
  }
}

static void read_segments(const ElfW(Phdr) * segments, unsigned count, struct found_module *module) {
  uint64_t low = UINT64_MAX, high = 0;
  for (unsigned i = 0; i < count; i++) {
    const ElfW(Phdr) *segment = &segments[i];
    if (segment->p_type == PT_NOTE)
      read_note((const char *)(uintptr_t)(module->bias + segment->p_vaddr), segment->p_memsz, module);
    if (segment->p_type != PT_LOAD)
      continue;
    low = segment->p_vaddr < low ? segment->p_vaddr : low;
    high = segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz : high;
  }
  module->base = module->bias + low;
  module->size = high > low ? high - low : 0;
}

struct search {
  uint64_t address;
  struct found_module *module;
};

static int try_module(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct search *search = data;
  struct found_module module = {.bias = info->dlpi_addr, .path = info->dlpi_name};
  read_segments(info->dlpi_phdr, info->dlpi_phnum, &module);
  if (search->address - module.base >= module.size)
    return 0;
  *search->module = module;
  return 1;
}

/* The executable has no name in the list of libraries. */
static const char *program_path(void) {
  return tool.constants.program;
}

static uint64_t append(struct module_words *words, uint64_t used, const void *bytes, uint64_t count) {
  memcpy(words->rest + used, bytes, count);
  return used + count;
}

static void publish(const struct found_module *module, uint64_t ticks) {
  struct module_words words = {.bias = module->bias, .build_id_bytes = module->build_id_bytes};
  const char *path = *module->path ? module->path : program_path();
  uint64_t path_bytes = strnlen(path, PATH_BYTES_MAX);
  uint64_t used = append(&words, 0, module->build_id, module->build_id_bytes);
  used = append(&words, used, path, path_bytes);
  const struct record_module record = {.type = RECORD_module,
                                       .ticks = ticks,
                                       .base = module->base,
                                       .size = module->size,
                                       .path_bytes = (uint32_t)path_bytes,
                                       .more = (uint8_t)((2 * 8 + used + RECORD_BYTES - 1) / RECORD_BYTES)};
  thread_put((const struct record *)&record, (const uint64_t *)&words);
}

static bool was_there_at_start(uint64_t bias) {
  for (uint32_t i = 0; i < tool.start_count; i++)
    if (tool.start_biases[i] == bias)
      return true;
  return false;
}

/* Takes no lock that the application could hold: the list of libraries is locked by the dynamic linker only
 * while it changes the list itself, never while it runs constructors. */
void thread_meet_code(uint64_t codeptr, uint64_t ticks) {
  if (!thread_self->ring.slot && !thread_attach(ticks))
    return;
  struct known_module *known = find_known(codeptr);
  struct found_module module = {0};
  bool is_permanent = false;
  if (known) {
    module = (struct found_module){.base = atomic_load(&known->base), .size = known->size};
    is_permanent = known->is_permanent;
  } else if (dl_iterate_phdr(try_module, &(struct search){codeptr, &module})) {
    is_permanent = was_there_at_start(module.bias);
    publish(&module, ticks);
    add_known(module.base, module.size, is_permanent);
    if (tool.constants.config.callers > 0)
      modules_publish_all(ticks); /* with it others were loaded, which call it */
  }
  if (module.size) {
    thread_self->module_base = module.base;
    thread_self->module_size = module.size;
    thread_self->module_may_close = !is_permanent;
  }
}

static int publish_new(struct dl_phdr_info *info, size_t size, void *ticks) {
  (void)size;
  struct found_module module = {.bias = info->dlpi_addr, .path = info->dlpi_name};
  read_segments(info->dlpi_phdr, info->dlpi_phnum, &module);
  if (module.size && !find_known(module.base)) {
    publish(&module, *(uint64_t *)ticks);
    add_known(module.base, module.size, was_there_at_start(module.bias));
  }
  return 0;
}

void modules_publish_all(uint64_t ticks) {
  dl_iterate_phdr(publish_new, &ticks);
}

bool modules_range(uint64_t address, struct module_range *ret) {
  const struct known_module *known = find_known(address);
  if (!known)
    return false;
  *ret = (struct module_range){atomic_load_explicit(&known->base, memory_order_relaxed), known->size};
  return true;
}

bool modules_know(uint64_t address) {
  return find_known(address) != NULL;
}

static int read_closed(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  *(uint64_t *)data = info->dlpi_subs;
  return 1;
}

void thread_recheck_code(void) {
  uint64_t closed = 0;
  dl_iterate_phdr(read_closed, &closed);
  if (atomic_exchange(&tool.modules_closed, closed) != closed) {
    uint32_t count = atomic_load_explicit(&tool.modules_count, memory_order_acquire);
    for (uint32_t i = 0; i < count && i < KNOWN_MODULES_MAX; i++)
      if (!tool.modules[i].is_permanent)
        atomic_store_explicit(&tool.modules[i].base, 0, memory_order_release);
  }
  thread_self->module_base = thread_self->module_size = 0; /* looked up again, in the rows above first */
}

static int note_bias(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  if (tool.start_count < KNOWN_MODULES_MAX)
    tool.start_biases[tool.start_count++] = info->dlpi_addr;
  atomic_store(&tool.modules_closed, info->dlpi_subs);
  return 0;
}

void modules_note_start(void) {
  tool.start_count = 0;
  dl_iterate_phdr(note_bias, NULL);
}

void modules_find_runtime(uint64_t address) {
  struct found_module module = {0};
  if (!dl_iterate_phdr(try_module, &(struct search){address, &module}))
    return;
  tool.constants.runtime_base = module.base;
  tool.constants.runtime_size = module.size;
}
