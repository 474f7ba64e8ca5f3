/* What is left out of tables that are full: what takes less than a length, which doubles until enough is. */
#ifndef STAVE_TIMELINE_SHORTEST_H
#define STAVE_TIMELINE_SHORTEST_H

#include <stdint.h>

enum { SHORTEST_FIRST = 16 }; /* ticks */

/* The next length; UINT64_MAX is the last one. */
static inline uint64_t shortest_next(uint64_t shortest) {
  if (shortest == 0)
    return SHORTEST_FIRST;
  return shortest > UINT64_MAX / 2 ? UINT64_MAX : 2 * shortest;
}

#endif
