#include "base/shortest.h"

#include <string.h>

enum { SHORTEST_FIRST = 16 }; /* ticks */

uint64_t shortest_next(uint64_t shortest) {
  if (shortest == 0)
    return SHORTEST_FIRST;
  return shortest > UINT64_MAX / 2 ? UINT64_MAX : 2 * shortest;
}

/* Moves those that are long enough to the front. Returns how many. */
static size_t keep_longer(char *records, size_t count, size_t bytes, uint64_t shortest,
                          shortest_length *length) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (length(records + i * bytes) < shortest)
      continue;
    if (kept < i)
      memcpy(records + kept * bytes, records + i * bytes, bytes);
    kept++;
  }
  return kept;
}

size_t shortest_leave_out(void *records, size_t count, size_t bytes, size_t most, uint64_t *shortest,
                          shortest_length *length) {
  while (count > most && *shortest < UINT64_MAX) {
    *shortest = shortest_next(*shortest);
    count = keep_longer(records, count, bytes, *shortest, length);
  }
  return count;
}
