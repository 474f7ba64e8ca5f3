/* The plural of nouns in texts: "1 thread", "2 threads". */
#ifndef STAVE_BASE_PLURAL_H
#define STAVE_BASE_PLURAL_H

#include <stdint.h>

/* The ending of a noun after a count: "thread%s". */
static inline const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

#endif
