/* What regions are called. */
#ifndef STAVE_WRITER_DEFINITIONS_REGION_NAMES_H
#define STAVE_WRITER_DEFINITIONS_REGION_NAMES_H

#include "writer/definitions/regions.h"

/* Fills in all that a definition shows of a region; one that regions_function has made has its names. Without
 * a construct's place resolved, it is named by its address. `program`: its path. */
void region_name(const struct regions *regions, const char *program, struct region *region);

/* A text of its own, the caller's; empty without memory. */
__attribute__((format(printf, 1, 2))) char *region_text(const char *format, ...);

/* What follows the last slash. */
const char *region_base_name(const char *path);

#endif
