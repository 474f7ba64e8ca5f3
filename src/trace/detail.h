/* What the description of a construct's region states besides where it is: its flags, its kind.
 *
 * A description is "FUNCTION, WORD, WORD": a word is of small letters, digits, spaces and underscores, and
 * the words are at the end. Whatever a function is called, it is none: it comes first, and what C++ adds to
 * its name (arguments, namespaces) has other characters where it ends. A region without a place in the
 * source, whose name has no " @", has words only. */
#ifndef STAVE_TRACE_DETAIL_H
#define STAVE_TRACE_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/* Whether `word` is one of them. */
bool detail_has(const struct trace_region *region, const char *word);

/* How many bytes of the description are FUNCTION; where that is not known, it is MODULE+0xOFFSET. 0: neither.
 */
size_t detail_function_length(const struct trace_region *region);

/* The schedule of a worksharing loop: "static", "dynamic", "guided", "other"; "" if it is not known. Constant
 * memory. */
const char *detail_schedule(const struct trace_region *region);

/* The iterations of a chunk of such a loop, where the program's code has them; 0: not known. */
uint32_t detail_chunk(const struct trace_region *region);

#endif
