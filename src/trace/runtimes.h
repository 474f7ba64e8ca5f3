/* Which OpenMP runtimes a traced program had, as the archive's properties have it. */
#ifndef STAVE_TRACE_RUNTIMES_H
#define STAVE_TRACE_RUNTIMES_H

#include "trace/trace.h"

enum { RUNTIMES_LIST_BYTES = 256 };

struct runtimes {
  const char *traced; /* what the traced one calls itself; NULL: not known */
  const char
      *instead_of; /* the one that the program was built for, if `stave record` replaced it; else NULL */
  size_t untraced_count;
  char untraced[RUNTIMES_LIST_BYTES]; /* names of files that were loaded, too, and have no tool interface: "a,
                                         b" */
};

void runtimes_read(struct runtimes *ret, const struct trace *trace);

#endif
