/* One executable or library, as libbfd sees it: its function symbols and its line table. The only user of
 * libbfd.
 *
 * Addresses are those of the file (without load bias). Strings that are returned belong to the object
 * unless noted otherwise. Not thread-safe, not even on different objects: libbfd has global state. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_BFD_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_BFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

struct object_symbol {
  uint64_t address;
  uint64_t size; /* bytes; 0: not known, reaches to the next symbol */
  const char *name;
};

/* As the debug info has it: mangled or not, file full or not. Names may be NULL, line 0. */
struct object_line {
  const char *function;
  const char *file;
  unsigned line;
};

/* Opens the file, and its separate debug file (by build id or debug link, under /usr/lib/debug or next to
 * it). Where the file is gone, or its build id is another one than given (a rebuilt program), the debug file
 * alone will do. build_id_size 0: any file of that name is right. Returns NULL when nothing could be read.
 * The caller owns the result: object_close. */
struct object *object_open(const char *path, const uint8_t *build_id, unsigned build_id_size);

/* Of all objects: the files are opened again where they are needed. */
void objects_close_descriptors(void);

/* NULL is fine. */
void object_close(struct object *object);

/* All function symbols by address, *ret_count of them; one for each address. */
const struct object_symbol *object_symbols(const struct object *object, size_t *ret_count);

/* The symbol that covers the address, or NULL. It lies in the array of object_symbols. */
const struct object_symbol *object_symbol_at(const struct object *object, uint64_t address);

/* The same for variables. */
const struct object_symbol *object_variable_at(const struct object *object, uint64_t address);

/* Looks the address up in the debug info: the innermost function. Returns false if there is nothing about
 * it. */
bool object_line_at(struct object *object, uint64_t address, struct object_line *ret);

/* After object_line_at: into what that was inlined, one step outwards with each call. Returns false at the
 * end. */
bool object_inlined_into(struct object *object, struct object_line *ret);

/* Reads what the file itself has at an address. Returns how many bytes: at most `size`, fewer where the
 * section ends, 0 where there is nothing. */
size_t object_read(struct object *object, uint64_t address, void *bytes, size_t size);

/* The address that a pointer at an address has, also where the dynamic linker fills it in. Returns false if
 * there is none. */
bool object_pointer_at(struct object *object, uint64_t address, uint64_t *ret);

/* The readable form of a mangled name, or NULL if the name is not mangled. The caller frees it. */
/* The same of a name of no file: of what devices run. */
char *symbol_demangle(const char *name);
char *object_demangle(struct object *object, const char *name);

#endif
