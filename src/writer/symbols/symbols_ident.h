/* What clang and flang write into a program beside its debug information: each of their calls of the OpenMP
 * runtime names its construct's place by an ident_t. Of some calls this is all that tells the line. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_IDENT_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_IDENT_H

#include "writer/symbols/symbols_bfd.h"

/* The line of the construct whose call's last byte is at the address, in the function of the symbol. Only an
 * ident_t that names the file is believed. Returns 0 if there is none, or no way to find it (known: x86-64's
 * code).
 */
unsigned ident_line(struct object *object, uint64_t address, const struct object_symbol *symbol,
                    const char *file);

#endif
