/* A loaded file, read in memory: the dynamic linker is not called, whose lock the program may hold. */
#ifndef STAVE_IMAGE_ELF_IMAGE_H
#define STAVE_IMAGE_ELF_IMAGE_H

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_image {
  uintptr_t base;        /* where its first mapping begins */
  uintptr_t load_offset; /* what is added to its addresses */
  const ElfW(Dyn) * dynamic;
  const ElfW(Sym) * symbols;
  const char *strings;
  const uint32_t *gnu_hash;
  const uint32_t *hash;
};

/* False: no ELF file with a dynamic section is mapped at `base`. */
bool elf_image_read(uintptr_t base, struct elf_image *ret);

/* The address of a function that the file defines, in its default version; NULL: it has none. */
void *elf_image_find(const struct elf_image *image, const char *name);

/* The i-th string of entries with that tag, such as DT_NEEDED and DT_SONAME; NULL: there are fewer. */
const char *elf_image_string(const struct elf_image *image, ElfW(Sxword) tag, unsigned i);

/* Whether `text`, with the zero at its end, lies in what the file has read-only. */
bool elf_image_contains(const struct elf_image *image, const char *text);

#endif
