/* Reading 64-bit ELF files of this machine's own kind: what a dynamic loader would look at, no more. Nothing
 * in the file is trusted: every offset is checked against its size. */
#ifndef STAVE_CLI_PROGRAMS_ELF_FILE_H
#define STAVE_CLI_PROGRAMS_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
  const unsigned char *data; /* the mapped file */
  size_t size;
  Elf64_Ehdr header;
  uint64_t dynamic_offset, dynamic_count; /* the dynamic table; count 0: none */
  uint64_t strings_offset, strings_bytes; /* its string table */
};

/* Maps the file. Returns 0, and the caller closes *ret; else a negative errno: -ENOEXEC not an ELF file or a
 * broken one, -EPROTONOSUPPORT of another word size, byte order or machine, or what open, fstat or mmap
 * reported. */
int elf_open(const char *path, struct elf_file *ret);

/* Unmaps. Accepts a zeroed struct. */
void elf_close(struct elf_file *file);

/* The `index`-th string with this tag (DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME) of the dynamic table, in
 * file order; NULL if there is none. Belongs to the file. */
const char *elf_dynamic_string(const struct elf_file *file, int64_t tag, size_t index);

/* Calls `each` for every symbol version the file needs of `library` and cannot do without. */
void elf_needed_versions(const struct elf_file *file, const char *library,
                         void (*each)(void *context, const char *version), void *context);

/* Calls `each` for every symbol, not weak, that the file needs in a version of `library`. */
void elf_needed_symbols(const struct elf_file *file, const char *library,
                        void (*each)(void *context, const char *symbol), void *context);

/* True if the file defines the symbol version. */
bool elf_defines_version(const struct elf_file *file, const char *version);

/* True if one of the file's symbol tables defines the symbol. */
bool elf_defines_symbol(const struct elf_file *file, const char *symbol);

#endif
