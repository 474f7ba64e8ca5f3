/* What a tool can query of the runtime (OpenMP 5.1, 4.6.1). */
#ifndef STAVE_LIBGOMP_INQUIRY_H
#define STAVE_LIBGOMP_INQUIRY_H

#include "libgomp/library.h"
#include "ompt/types.h"

/* Whose answers threads get that have called none, and what ends the tool. */
void inquiry_prepare(const struct library *library, void (*finalize)(void));

/* What a tool's initialize gets; NULL: no such entry point. */
ompt_interface_fn_t inquiry_lookup(const char *name);

#endif
