/* Which OpenMP runtime made a trace, by the events it delivers: version strings are the same for every LLVM
 * release. */
#ifndef STAVE_TRACE_IDENTIFY_H
#define STAVE_TRACE_IDENTIFY_H

#include "trace/trace.h"

enum { IDENTIFY_NAME_BYTES = 128, IDENTIFY_EVIDENCE_BYTES = 256 };

struct identified {
  char name[IDENTIFY_NAME_BYTES];         /* "LLVM libomp 14 or like it"; empty: the trace does not have it */
  char evidence[IDENTIFY_EVIDENCE_BYTES]; /* why */
};

/* Looks at the archive's properties. */
void identify_runtime(struct identified *ret, const struct trace *trace);

#endif
