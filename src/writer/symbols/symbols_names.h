/* Text rules: how the names in an ELF file become those that a user knows. No state, no libbfd. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_NAMES_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the part of a function's name that the user wrote, without what compilers append to clones
 * and outlined functions: main._omp_fn.0, main.omp_outlined, work.isra.0, work.cold -> 4. 0 if the entire
 * name is the compiler's: .omp_outlined..3, .omp_task_entry. (clang up to 16). */
size_t name_user_length(const char *name);

/* Whether a compiler made the function from the body of a construct. */
bool name_is_outlined(const char *name);

/* gfortran's __module_MOD_procedure as module::procedure. Returns NULL for other names; the caller frees the
 * result. */
char *name_from_fortran(const char *name);

/* Removes "//", "/./" and "/x/../" from a path, in place. Symbolic links are not looked at. */
void name_clean_path(char *path);

/* Whether the path is a header of the C++ library, the C library's inline functions or the compiler's own,
 * none of which have constructs, but for libstdc++'s parallel mode. */
bool name_is_library_header(const char *path);

/* Whether the path is that of the C library or the dynamic linker, whose code calls a program's functions. */
bool name_starts_programs(const char *path);

#endif
