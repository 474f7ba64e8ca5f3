/* Names of OMPT's values. */
#ifndef STAVE_OMPT_NAMES_H
#define STAVE_OMPT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "ompt/values.h"

/* What enumerations.def calls the value, or NULL: no specification has it. */
const char *ompt_name(enum ompt_enumeration enumeration, uint32_t value);

/* The names of the flags that are set, in the order of their bits: "untied, final", and what has no name as a
 * number: "untied, flags 0x100". `text` has room for `size` bytes, at least 1, and is cut to that; "" if none
 * is set. */
void ompt_flags(enum ompt_enumeration enumeration, uint32_t flags, char *text, size_t size);

#endif
