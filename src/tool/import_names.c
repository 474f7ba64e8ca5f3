/* Which functions the loaded executable and libraries call of each other: what their relocations name. All of
 * it is copied, since a library may be closed meanwhile: waiting for the dynamic linker's lock is no remedy.
 */
#include "tool/imports.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "tool/loaded.h"

enum { ENTRIES_MAX = 256, COPY_BYTES_MAX = 256 << 20 };

struct file_table {
  uint64_t address, bytes;
};

/* Where a file has what it states of itself. */
struct dynamic {
  uint64_t symbols;
  struct file_table strings, relocations[2]; /* of the procedure linkage table; all others */
};

struct name_search {
  const char *const *names;
  uint64_t last_begin; /* of the file that was looked at last */
  bool is_found;
};

/* -- copies -- */

struct copied_bytes {
  const char *bytes; /* NULL: it cannot be had */
  size_t size;
};

static struct copied_bytes copy_of(struct file_table part) {
  struct copied_bytes copy = {NULL, (size_t)part.bytes};
  if (part.bytes == 0 || part.bytes > COPY_BYTES_MAX)
    return copy;
  void *memory = mmap(NULL, copy.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return copy;
  if (own_memory_read(part.address, memory, copy.size) == copy.size)
    copy.bytes = memory;
  else
    munmap(memory, copy.size);
  return copy;
}

static void drop(struct copied_bytes *copy) {
  if (copy->bytes)
    munmap((void *)(uintptr_t)copy->bytes, copy->size);
}

/* -- a file's tables -- */

/* The dynamic linker has made most of these addresses absolute, but not in what it may not write to. */
static uint64_t absolute(const struct loaded *file, uint64_t address) {
  return address < file->bias ? file->bias + address : address;
}

static void read_entry(const struct loaded *file, const ElfW(Dyn) * entry, struct dynamic *ret) {
  switch (entry->d_tag) {
  case DT_SYMTAB:
    ret->symbols = absolute(file, entry->d_un.d_ptr);
    break;
  case DT_STRTAB:
    ret->strings.address = absolute(file, entry->d_un.d_ptr);
    break;
  case DT_STRSZ:
    ret->strings.bytes = entry->d_un.d_val;
    break;
  case DT_JMPREL:
    ret->relocations[0].address = absolute(file, entry->d_un.d_ptr);
    break;
  case DT_PLTRELSZ:
    ret->relocations[0].bytes = entry->d_un.d_val;
    break;
  case DT_RELA:
    ret->relocations[1].address = absolute(file, entry->d_un.d_ptr);
    break;
  case DT_RELASZ:
    ret->relocations[1].bytes = entry->d_un.d_val;
    break;
  }
}

static struct dynamic read_dynamic(const struct loaded *file) {
  struct dynamic dynamic = {.symbols = 0};
  ElfW(Dyn) entries[ENTRIES_MAX] = {{.d_tag = DT_NULL}};
  size_t count = own_memory_read(file->dynamic, entries, sizeof entries) / sizeof *entries;
  for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
    read_entry(file, &entries[i], &dynamic);
  return dynamic;
}

/* The table's end is stated nowhere: as many as the relocations use. */
static uint64_t symbols_used(const struct copied_bytes *relocations) {
  const ElfW(Rela) *rows = (const void *)relocations->bytes;
  uint64_t count = 0;
  for (size_t i = 0; rows && i < relocations->size / sizeof *rows; i++) {
    uint64_t number = ELF64_R_SYM(rows[i].r_info);
    count = number >= count ? number + 1 : count;
  }
  return count;
}

/* -- names -- */

/* Strings of a file share their ends. */
static bool has_string(const struct copied_bytes *strings, const char *name) {
  return memmem(strings->bytes, strings->size, name, strlen(name) + 1) != NULL;
}

static bool has_one_of(const struct copied_bytes *strings, const char *const *names) {
  while (*names && !has_string(strings, *names))
    names++;
  return *names != NULL;
}

static bool is_one_of(const struct copied_bytes *strings, uint32_t at, const char *const *names) {
  if (at >= strings->size || !memchr(strings->bytes + at, '\0', strings->size - at))
    return false;
  while (*names && strcmp(*names, strings->bytes + at))
    names++;
  return *names != NULL;
}

/* A symbol that the file defines itself is none that it calls in another one. */
static bool names_one(const ElfW(Sym) * symbol, const struct copied_bytes *strings,
                      const char *const *names) {
  return symbol->st_shndx == SHN_UNDEF && is_one_of(strings, symbol->st_name, names);
}

static bool any_names_one(uint64_t symbols, const struct copied_bytes *strings, struct file_table part,
                          const char *const *names) {
  struct copied_bytes relocations = copy_of(part);
  uint64_t used = symbols_used(&relocations);
  struct copied_bytes copied = copy_of((struct file_table){symbols, used * sizeof(ElfW(Sym))});
  const ElfW(Rela) *rows = (const void *)relocations.bytes;
  const ElfW(Sym) *table = (const void *)copied.bytes;
  bool is_found = false;
  for (size_t i = 0; table && !is_found && i < relocations.size / sizeof *rows; i++)
    is_found = ELF64_R_SYM(rows[i].r_info) && names_one(&table[ELF64_R_SYM(rows[i].r_info)], strings, names);
  drop(&copied);
  drop(&relocations);
  return is_found;
}

static bool calls_one(const struct loaded *file, const char *const *names) {
  struct dynamic dynamic = read_dynamic(file);
  struct copied_bytes strings = copy_of(dynamic.strings);
  bool is_found = false;
  if (dynamic.symbols && strings.bytes && has_one_of(&strings, names))
    for (int kind = 0; kind < 2 && !is_found; kind++)
      is_found = any_names_one(dynamic.symbols, &strings, dynamic.relocations[kind], names);
  drop(&strings);
  return is_found;
}

static bool search_file(const struct own_mapping *mapped, void *data) {
  struct name_search *search = data;
  struct loaded file;
  bool is_new = mapped->is_code && mapped->file_begin && mapped->file_begin != search->last_begin;
  if (!is_new)
    return false;
  search->last_begin = mapped->file_begin;
  search->is_found =
      loaded_read(mapped->file_begin, &file) && file.dynamic && calls_one(&file, search->names);
  return search->is_found;
}

/* A filter of system calls may refuse each way to read it. */
static bool is_memory_readable(void) {
  char copy, here = 0;
  return own_memory_read((uintptr_t)&here, &copy, 1) == 1;
}

bool imports_any(const char *const *names) {
  struct name_search search = {.names = names};
  return !is_memory_readable() || !own_memory_each(search_file, &search) || search.is_found;
}
