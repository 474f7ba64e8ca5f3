/* What people read of a region. */
#ifndef STAVE_TRACE_LABEL_H
#define STAVE_TRACE_LABEL_H

#include "trace/trace.h"

enum { LABEL_BYTES = 192 };

/* A construct's name without what every construct's begins with, "parallel @file.c:12": all that can be
 * stated of it beside no trace. Cut in the middle. Returns buffer. */
char *label_construct(char buffer[LABEL_BYTES], const char *name);

/* A region's name without what every construct's begins with: "parallel @file.c:12". An address alone shows
 * nothing: it comes with the function, "parallel @0x1282 in main", or else with the module, "for
 * @a.out+0x132c". Of several in one line each comes with its function, "parallel @b.h:4 in for_each<Scale>".
 * Long names are cut in the middle. No region (REPLAY_NONE) is "(unknown)". Returns buffer. */
char *label_region(char buffer[LABEL_BYTES], const struct trace *trace, uint32_t region);

/* The same of a function that was sampled: "LIMIT in SIN" where it is inlined into SIN; with its file, its
 * module or both where others have the same name: "sort (a.c)". Returns buffer. */
char *label_function(char buffer[LABEL_BYTES], const struct trace *trace, uint32_t region);

/* Of a function: what it is inlined into, in the region; NULL: nothing. The module that it is in,
 * "libm.so.6", in buffer, which is returned; "": not known. */
const char *label_inlined_into(const struct trace_region *region);
char *label_module(char buffer[LABEL_BYTES], const struct trace_region *region);

/* The same of a call: "MPI_Recv @file.c:12", "MPI_Recv @app+0x12", where `site` is the ref of the code line
 * where it is called; TRACE_NO_REF: not known. Returns buffer. */
char *label_call(char buffer[LABEL_BYTES], const struct trace *trace, uint32_t region, uint64_t site);

/* Whether a region is at an address of the code, as there is no debug information. */
bool label_lacks_line(const struct trace_region *region);

#endif
