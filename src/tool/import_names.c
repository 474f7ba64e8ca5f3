/* Which functions the loaded executable and libraries call of each other: what their relocations name. All of
 * it is copied, since a library may be closed meanwhile: waiting for the dynamic linker's lock is no remedy.
 */
#include "tool/imports.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "tool/loaded.h"

enum { ENTRIES_MAX = 256, COPY_BYTES_MAX = 256 << 20, NAMES_MAX = 16 };

struct file_table {
  uint64_t address, bytes;
};

/* Where a file has what it states of itself. */
struct dynamic {
  uint64_t symbols;
  struct file_table strings, relocations[2]; /* of the procedure linkage table; all others */
};

struct name {
  const char *text;
  size_t length;
  struct import_query *query; /* of whose names it is one */
};

/* All names, so that each file is looked through once. */
struct name_search {
  struct name names[NAMES_MAX];
  size_t count;
  uint64_t last_begin; /* of the file that was looked at last */
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

static bool ends_with(const char *begin, const char *end, const struct name *name) {
  return (size_t)(end - begin) >= name->length && end[-1] == name->text[name->length - 1] &&
         memcmp(end - name->length, name->text, name->length) == 0;
}

/* Of a call that is not known yet. Strings of a file share their ends. */
static bool ends_with_one(const struct name_search *search, const char *begin, const char *end) {
  for (size_t i = 0; i < search->count; i++)
    if (!search->names[i].query->is_called && ends_with(begin, end, &search->names[i]))
      return true;
  return false;
}

static bool has_one(const struct name_search *search, const struct copied_bytes *strings) {
  const char *at = strings->bytes, *last = at + strings->size;
  for (const char *end; (end = memchr(at, '\0', (size_t)(last - at))); at = end + 1)
    if (ends_with_one(search, at, end))
      return true;
  return false;
}

static void note_call(struct name_search *search, const char *string) {
  for (size_t i = 0; i < search->count; i++)
    if (strcmp(search->names[i].text, string) == 0)
      search->names[i].query->is_called = true;
}

/* A symbol that the file defines itself is none that it calls in another one. */
static void look_at_symbol(struct name_search *search, const ElfW(Sym) * symbol,
                           const struct copied_bytes *strings) {
  const char *string = strings->bytes + symbol->st_name;
  if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < strings->size &&
      memchr(string, '\0', strings->size - symbol->st_name))
    note_call(search, string);
}

static void look_at_relocations(struct name_search *search, uint64_t symbols,
                                const struct copied_bytes *strings, struct file_table part) {
  struct copied_bytes relocations = copy_of(part);
  uint64_t used = symbols_used(&relocations);
  struct copied_bytes copied = copy_of((struct file_table){symbols, used * sizeof(ElfW(Sym))});
  const ElfW(Rela) *rows = (const void *)relocations.bytes;
  const ElfW(Sym) *table = (const void *)copied.bytes;
  for (size_t i = 0; table && i < relocations.size / sizeof *rows; i++)
    if (ELF64_R_SYM(rows[i].r_info))
      look_at_symbol(search, &table[ELF64_R_SYM(rows[i].r_info)], strings);
  drop(&copied);
  drop(&relocations);
}

static void look_at_file(struct name_search *search, const struct loaded *file) {
  struct dynamic dynamic = read_dynamic(file);
  struct copied_bytes strings = copy_of(dynamic.strings);
  if (dynamic.symbols && strings.bytes && has_one(search, &strings))
    for (int kind = 0; kind < 2; kind++)
      look_at_relocations(search, dynamic.symbols, &strings, dynamic.relocations[kind]);
  drop(&strings);
}

/* True: all are called. */
static bool search_file(const struct own_mapping *mapped, void *data) {
  struct name_search *search = data;
  struct loaded file;
  bool is_new = mapped->is_code && mapped->file_begin && mapped->file_begin != search->last_begin;
  if (!is_new)
    return false;
  search->last_begin = mapped->file_begin;
  if (loaded_read(mapped->file_begin, &file) && file.dynamic)
    look_at_file(search, &file);
  bool are_all_called = true;
  for (size_t i = 0; i < search->count; i++)
    are_all_called &= search->names[i].query->is_called;
  return are_all_called;
}

/* A filter of system calls may refuse each way to read it. */
static bool is_memory_readable(void) {
  char copy, here = 0;
  return own_memory_read((uintptr_t)&here, &copy, 1) == 1;
}

static bool add_names(struct name_search *search, struct import_query *query) {
  query->is_called = false;
  for (const char *const *name = query->names; *name; name++) {
    if (search->count == NAMES_MAX)
      return false;
    search->names[search->count++] = (struct name){*name, strlen(*name), query};
  }
  return true;
}

void imports_find(struct import_query *queries, size_t count) {
  struct name_search search = {.count = 0};
  bool is_known = is_memory_readable();
  for (size_t i = 0; i < count; i++)
    is_known &= add_names(&search, &queries[i]);
  if (is_known && own_memory_each(search_file, &search))
    return;
  for (size_t i = 0; i < count; i++)
    queries[i].is_called = true;
}

bool imports_any(const char *const *names) {
  struct import_query query = {.names = names};
  imports_find(&query, 1);
  return query.is_called;
}
