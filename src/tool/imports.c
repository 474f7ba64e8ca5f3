/* Which functions the loaded executable and libraries call of each other: what their relocations name. */
#include "tool/imports.h"

#include <elf.h>
#include <link.h>
#include <string.h>

struct imports {
  const ElfW(Sym) * symbols;
  const char *strings;
  const ElfW(Rela) * relocations[2]; /* of the procedure linkage table; all others */
  size_t bytes[2];
};

struct import_search {
  const char *const *names;
  bool is_found;
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

static bool is_one_of(const char *name, const char *const *names) {
  while (*names && strcmp(*names, name))
    names++;
  return *names != NULL;
}

/* A symbol that the object defines itself is none that it calls in another one. */
static bool names_one(const struct imports *object, const ElfW(Rela) * relocation, const char *const *names) {
  const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
  return ELF64_R_SYM(relocation->r_info) && symbol->st_shndx == SHN_UNDEF &&
         is_one_of(object->strings + symbol->st_name, names);
}

static bool calls_one(const struct imports *object, const char *const *names) {
  for (int kind = 0; object->symbols && object->strings && kind < 2; kind++)
    for (size_t i = 0; object->relocations[kind] && i < object->bytes[kind] / sizeof(ElfW(Rela)); i++)
      if (names_one(object, &object->relocations[kind][i], names))
        return true;
  return false;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct import_search *search = data;
  for (unsigned i = 0; i < info->dlpi_phnum && !search->is_found; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      struct imports object =
          read_dynamic(info, (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
      search->is_found = calls_one(&object, search->names);
    }
  return search->is_found;
}

bool imports_any(const char *const *names) {
  struct import_search search = {.names = names};
  dl_iterate_phdr(search_object, &search);
  return search.is_found;
}
