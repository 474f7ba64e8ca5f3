/* The source lines of an address: of the function that it is in, and of those that was inlined into. No
 * state. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_LINES_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_LINES_H

#include <stdint.h>

#include "writer/symbols/symbols.h"
#include "writer/symbols/symbols_bfd.h"

enum { LINES_MAX = 64 }; /* inlining deeper than that is cut at the outer end */

/* The innermost first; of a construct from the function on that has it. Returns how many: at least one, at
 * the worst without anything in it. */
unsigned lines_read(struct object *object, uint64_t address, enum place_kind kind, struct object_line *lines);

#endif
