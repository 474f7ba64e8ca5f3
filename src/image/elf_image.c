#include "image/elf_image.h"

#include <elf.h>
#include <string.h>

/* The dynamic linker makes these addresses absolute, musl's does not. */
static const void *address_in(const struct elf_image *image, ElfW(Addr) address) {
  return (const void *)(address < image->load_offset ? image->load_offset + address : address);
}

static bool read_headers(uintptr_t base, struct elf_image *image) {
  const ElfW(Ehdr) *header = (const void *)base;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)))
    return false;
  const ElfW(Phdr) *program = (const void *)(base + header->e_phoff);
  uintptr_t lowest = UINTPTR_MAX, dynamic = 0;
  for (unsigned i = 0; i < header->e_phnum; i++) {
    if (program[i].p_type == PT_LOAD && program[i].p_vaddr - program[i].p_offset < lowest)
      lowest = program[i].p_vaddr - program[i].p_offset;
    if (program[i].p_type == PT_DYNAMIC)
      dynamic = program[i].p_vaddr;
  }
  image->base = base;
  image->load_offset = base - lowest;
  image->dynamic = dynamic ? (const void *)(image->load_offset + dynamic) : NULL;
  return lowest != UINTPTR_MAX && dynamic;
}

bool elf_image_read(uintptr_t base, struct elf_image *ret) {
  *ret = (struct elf_image){0};
  if (!read_headers(base, ret))
    return false;
  for (const ElfW(Dyn) *entry = ret->dynamic; entry->d_tag != DT_NULL; entry++) {
    const void *address = address_in(ret, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB)
      ret->symbols = address;
    else if (entry->d_tag == DT_STRTAB)
      ret->strings = address;
    else if (entry->d_tag == DT_GNU_HASH)
      ret->gnu_hash = address;
    else if (entry->d_tag == DT_HASH)
      ret->hash = address;
  }
  return ret->symbols && ret->strings;
}

const char *elf_image_string(const struct elf_image *image, ElfW(Sxword) tag, unsigned i) {
  for (const ElfW(Dyn) *entry = image->dynamic; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag && i-- == 0)
      return image->strings + entry->d_un.d_val;
  return NULL;
}

/* Of several versions with one name the default one is what is last in libgomp's table or first: its number
 * has no hidden bit. */
static bool is_default_version(const struct elf_image *image, uint32_t number) {
  enum { HIDDEN = 0x8000 };
  for (const ElfW(Dyn) *entry = image->dynamic; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_VERSYM) {
      const uint16_t *versions = address_in(image, entry->d_un.d_ptr);
      return !(versions[number] & HIDDEN);
    }
  return true;
}

static bool is_definition(const struct elf_image *image, uint32_t number, const char *name) {
  const ElfW(Sym) *symbol = &image->symbols[number];
  return symbol->st_shndx != SHN_UNDEF && strcmp(image->strings + symbol->st_name, name) == 0 &&
         is_default_version(image, number);
}

static uint32_t gnu_hash_of(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t find_by_gnu_hash(const struct elf_image *image, const char *name) {
  const uint32_t *table = image->gnu_hash, hash = gnu_hash_of(name);
  uint32_t bucket_count = table[0], first = table[1], bloom_words = table[2];
  const uint32_t *buckets = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof *table);
  const uint32_t *chain = buckets + bucket_count;
  uint32_t number = bucket_count ? buckets[hash % bucket_count] : 0;
  for (; number >= first && number != 0; number++) {
    uint32_t other = chain[number - first];
    if ((other | 1) == (hash | 1) && is_definition(image, number, name))
      return number;
    if (other & 1)
      break;
  }
  return 0;
}

static uint32_t find_in_all(const struct elf_image *image, const char *name) {
  uint32_t count = image->hash ? image->hash[1] : 0;
  for (uint32_t number = 1; number < count; number++)
    if (is_definition(image, number, name))
      return number;
  return 0;
}

void *elf_image_find(const struct elf_image *image, const char *name) {
  uint32_t number = image->gnu_hash ? find_by_gnu_hash(image, name) : find_in_all(image, name);
  return number ? (void *)(image->load_offset + image->symbols[number].st_value) : NULL;
}

bool elf_image_contains(const struct elf_image *image, const char *text) {
  const ElfW(Ehdr) *header = (const void *)image->base;
  const ElfW(Phdr) *program = (const void *)(image->base + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (program[i].p_type == PT_LOAD && !(program[i].p_flags & PF_W) && (program[i].p_flags & PF_R) &&
        memmem((const void *)(image->load_offset + program[i].p_vaddr), program[i].p_filesz, text,
               strlen(text) + 1))
      return true;
  return false;
}
