/* Which regions somebody means who writes a name, a part of one, or a place. */
#ifndef STAVE_CLI_TIMELINE_ALIGN_NAMES_H
#define STAVE_CLI_TIMELINE_ALIGN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

enum { ALIGN_NAMES_BYTES = 512 };

/* What the text is: it is none, it is complete names, a place, or a part of names. */
enum align_names { ALIGN_NAMES_NONE, ALIGN_NAMES_EXACT, ALIGN_NAMES_PLACE, ALIGN_NAMES_PART };

#define ALIGN_NOT_MEANT UINT32_MAX

/* Finds the regions that `text` (not empty) means: those called so, with or without what each construct's
 * name begins with; if there are none those at this place, "file.c:12"; if there are none those with the text
 * in their names, whatever the case. Writes into `ret`, of trace->region_count, for each of them the first
 * that is called alike, for others ALIGN_NOT_MEANT. */
enum align_names align_names_find(const struct trace *trace, const char *text, uint32_t *ret);

/* The name as people write it and the page does: without what each construct's begins with. */
const char *align_names_short(const struct trace_region *region);

/* Some of the names of the regions that are marked: "a, b and 7 more". Returns buffer. */
char *align_names_list(const struct trace *trace, const bool *marked, char buffer[ALIGN_NAMES_BYTES]);

/* Of the regions that are marked the names that are nearly the text: "; meant may be a, b, c"; where there is
 * none, where names are found. Returns buffer. */
char *align_names_nearest(const struct trace *trace, const bool *marked, const char *text,
                          char buffer[ALIGN_NAMES_BYTES]);

#endif
