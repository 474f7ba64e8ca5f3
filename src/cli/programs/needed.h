/* The libraries a program loads at start, one level after the other, as the dynamic loader walks them. */
#ifndef STAVE_CLI_PROGRAMS_NEEDED_H
#define STAVE_CLI_PROGRAMS_NEEDED_H

#include "cli/programs/program.h"

/* Fills in what the ELF file at `path` and its libraries show about OpenMP: has_libomp, libgomp_*,
 * versions. */
void needed_inspect(const char *path, struct program *ret);

#endif
