/* The stubs of an x86-64 file's procedure linkage table, each with the name of the function that it calls.
 * libbfd finds them, too (bfd_get_synthetic_symtab), and all else that is relocated: for a library of 100 MB
 * that takes 26 ms of a processor while the program runs, this 3. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_STUBS_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_STUBS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stub_slot;

/* What is needed of the file; the caller's, and to stay until it is done with names. */
struct stub_file {
  const Elf64_Sym *symbols; /* .dynsym */
  size_t n_symbols;
  const char *strings; /* .dynstr; ends with a zero byte */
  size_t string_bytes;
  struct stub_slot *slots; /* by address: where the dynamic linker stores functions' addresses */
  size_t n_slots;
};

/* Adds the slots of a section of relocations (.rela.plt, .rela.dyn). Returns false without memory. */
bool stub_file_add(struct stub_file *file, const Elf64_Rela *relocations, size_t count);

/* After all of them were added. */
void stub_file_sort(struct stub_file *file);

/* Frees what was added. */
void stub_file_clear(struct stub_file *file);

/* A section of stubs. */
struct stub_code {
  const unsigned char *bytes;
  size_t count;
  uint64_t address;
};

/* The function that the stub at *at calls. *at becomes where the next one may be, *ret_address is the stub's
 * own address. NULL: this is none. */
const char *stub_next(const struct stub_file *file, const struct stub_code *code, size_t *at,
                      uint64_t *ret_address);

#endif
