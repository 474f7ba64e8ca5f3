/* What a program has beside its debug information of the place of a construct: what is handed over to the
 * call of the OpenMP runtime. clang and flang name the place by an ident_t, gcc gives the function with the
 * construct's code. Of some calls this is all that shows the line. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_IDENT_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_IDENT_H

#include "writer/symbols/symbols_bfd.h"

/* The line of the construct whose call's last byte is at the address, in the function of the symbol. Only an
 * ident_t that names the file is believed. Returns 0 if there is none, or no way to find it (known: x86-64's
 * code).
 */
unsigned ident_line(struct object *object, uint64_t address, const struct object_symbol *symbol,
                    const char *file);

/* The outlined function that such a call hands over as its first argument, as gcc's do; 0: there is none that
 * is known. */
uint64_t ident_outlined(struct object *object, uint64_t address, const struct object_symbol *symbol);

#endif
