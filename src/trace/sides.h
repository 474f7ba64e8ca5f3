/* Archives of runs that are compared hold each run as a side: stave timeline puts several beside each other.
 */
#ifndef STAVE_TRACE_SIDES_H
#define STAVE_TRACE_SIDES_H

#include "trace/trace.h"

enum { SIDES_MAX = 8 };

/* Names, in the order in which the archive has them; they belong to the trace. */
struct sides {
  const char *names[SIDES_MAX];
  size_t count; /* 0: nothing is compared */
};

void sides_find(struct sides *ret, const struct trace *trace);

/* The side of a location, by its position in the trace's; 0 where nothing is compared. */
size_t sides_of_location(const struct sides *sides, const struct trace *trace, size_t location);

#endif
