/* Where the loaded executable and libraries keep the addresses of each other's functions. */
#include "tool/imports.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const size_t NOT_NAMED = SIZE_MAX;

struct imports {
  const ElfW(Sym) * symbols;
  const char *strings;
  const uint32_t *hash;              /* DT_GNU_HASH */
  const ElfW(Rela) * relocations[2]; /* of the procedure linkage table; all others */
  size_t bytes[2];
};

struct import_search {
  const char *const *names;
  void (*visit)(const struct import *import);
};

/* The dynamic linker has made most of these addresses absolute, but not in what it may not write to. */
static const void *address_in(const struct dl_phdr_info *info, ElfW(Addr) address) {
  return (const void *)(uintptr_t)(address < info->dlpi_addr ? info->dlpi_addr + address : address);
}

static struct imports read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * entry) {
  struct imports object = {0};
  for (; entry->d_tag != DT_NULL; entry++)
    switch (entry->d_tag) {
    case DT_SYMTAB:
      object.symbols = address_in(info, entry->d_un.d_ptr);
      break;
    case DT_STRTAB:
      object.strings = address_in(info, entry->d_un.d_ptr);
      break;
    case DT_GNU_HASH:
      object.hash = address_in(info, entry->d_un.d_ptr);
      break;
    case DT_JMPREL:
      object.relocations[0] = address_in(info, entry->d_un.d_ptr);
      break;
    case DT_PLTRELSZ:
      object.bytes[0] = entry->d_un.d_val;
      break;
    case DT_RELA:
      object.relocations[1] = address_in(info, entry->d_un.d_ptr);
      break;
    case DT_RELASZ:
      object.bytes[1] = entry->d_un.d_val;
      break;
    }
  return object;
}

/* The name's place among others; NOT_NAMED: it is none of them. */
static size_t index_of(const char *name, const char *const *names) {
  size_t i = 0;
  while (names[i] && strcmp(names[i], name))
    i++;
  return names[i] ? i : NOT_NAMED;
}

/* A symbol that the object defines itself is none that it calls in another one. */
static size_t named_by(const struct imports *object, const ElfW(Rela) * relocation,
                       const char *const *names) {
  const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
  bool is_import = ELF64_R_SYM(relocation->r_info) && symbol->st_shndx == SHN_UNDEF;
  return is_import ? index_of(object->strings + symbol->st_name, names) : NOT_NAMED;
}

/* The address alone, and nothing else, is there. */
static bool is_call(const ElfW(Rela) * relocation) {
#if defined(__x86_64__)
  return ELF64_R_TYPE(relocation->r_info) == R_X86_64_JUMP_SLOT ||
         ELF64_R_TYPE(relocation->r_info) == R_X86_64_GLOB_DAT;
#else
  return (void)relocation, false;
#endif
}

/* Entire pages are protected: the last one, if it holds something else, is not. */
static bool is_protected(const struct dl_phdr_info *info, uintptr_t address) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_RELRO && address >= (begin & ~(page - 1)) &&
        address < ((begin + header->p_memsz) & ~(page - 1)))
      return true;
  }
  return false;
}

static void show(const struct import_search *search, const struct dl_phdr_info *info,
                 const ElfW(Rela) * relocation, size_t name) {
  uintptr_t address = info->dlpi_addr + relocation->r_offset;
  if (is_call(relocation))
    search->visit(&(struct import){name, (void **)address, is_protected(info, address)});
}

static void look_at(struct import_search *search, const struct dl_phdr_info *info,
                    const struct imports *object) {
  for (int kind = 0; object->symbols && object->strings && kind < 2; kind++)
    for (size_t i = 0; object->relocations[kind] && i < object->bytes[kind] / sizeof(ElfW(Rela)); i++) {
      const ElfW(Rela) *relocation = &object->relocations[kind][i];
      size_t name = named_by(object, relocation, search->names);
      if (name != NOT_NAMED)
        show(search, info, relocation, name);
    }
}

static int search_object(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct import_search *search = data;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      struct imports object =
          read_dynamic(info, (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
      look_at(search, info, &object);
    }
  return 0;
}

void imports_visit(const char *const *names, void (*visit)(const struct import *import)) {
  struct import_search search = {.names = names, .visit = visit};
  dl_iterate_phdr(search_object, &search);
}

/* -- what an object has itself -- */

struct function_search {
  uintptr_t inside;
  const char *name;
  void *found;
};

/* The hash table knows only those symbols that are defined, which are the last ones. */
static uint32_t count_of_symbols(const uint32_t *hash) {
  uint32_t buckets = hash[0], first = hash[1], bloom_words = hash[2], last = 0;
  const uint32_t *bucket = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof *hash);
  const uint32_t *chain = bucket + buckets;
  for (uint32_t i = 0; i < buckets; i++)
    last = bucket[i] > last ? bucket[i] : last;
  if (last < first)
    return first;
  while (!(chain[last - first] & 1))
    last++;
  return last + 1;
}

static void *function_in(const struct dl_phdr_info *info, const struct imports *object, const char *name) {
  uint32_t count = object->symbols && object->strings && object->hash ? count_of_symbols(object->hash) : 0;
  for (uint32_t i = 0; i < count; i++) {
    const ElfW(Sym) *symbol = &object->symbols[i];
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
        strcmp(object->strings + symbol->st_name, name) == 0)
      return (void *)(uintptr_t)(info->dlpi_addr + symbol->st_value);
  }
  return NULL;
}

static bool has_inside(const struct dl_phdr_info *info, uintptr_t address) {
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type == PT_LOAD && address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
      return true;
  }
  return false;
}

static int search_function(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct function_search *search = data;
  if (!has_inside(info, search->inside))
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      struct imports object =
          read_dynamic(info, (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
      search->found = function_in(info, &object, search->name);
    }
  return 1;
}

void *imports_function(const void *inside, const char *name) {
  struct function_search search = {(uintptr_t)inside, name, NULL};
  dl_iterate_phdr(search_function, &search);
  return search.found;
}
