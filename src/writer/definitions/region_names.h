/* What regions are called. */
#ifndef STAVE_WRITER_DEFINITIONS_REGION_NAMES_H
#define STAVE_WRITER_DEFINITIONS_REGION_NAMES_H

#include "writer/definitions/regions.h"

struct naming;

/* Of all regions, whose places are resolved. They stay the caller's, and so does `program`, its path. */
struct naming *naming_create(const struct region *all, size_t count, const char *program);
void naming_destroy(struct naming *naming);

/* Fills in all that a definition shows of a region; one that regions_function has made has its names. Without
 * a construct's place resolved, it is named by its address. */
void region_name(struct naming *naming, struct region *region);

/* A text of its own, the caller's; empty without memory. */
__attribute__((format(printf, 1, 2))) char *region_text(const char *format, ...);

/* What follows the last slash. */
const char *region_base_name(const char *path);

/* What represents the source file where no line is known: the full path of the module that the code is in,
 * which distinguishes equal functions at equal offsets of two libraries. NULL: not known. */
const char *region_module_file(const struct code_place *place);

#endif
