/* STAVE_TRIGGER='slowest 5 parallel': the archives of the longest instances so far. One that is no longer
 * among them loses its archive when that of the slower one is complete. */
#ifndef STAVE_WRITER_FLIGHT_SLOWEST_H
#define STAVE_WRITER_FLIGHT_SLOWEST_H

#include <stddef.h>
#include <stdint.h>

#include "session/config.h"

struct slowest {
  struct slowest_archive {
    uint64_t ticks;
    char *directory;
  } archives[TRIGGER_SLOWEST_MAX];
  size_t count;
};

/* There is an archive of an instance with this duration. Returns the directory of the archive that is one too
 * many, which is removed, to be freed by the caller; NULL: none is. */
char *slowest_add(struct slowest *slowest, size_t most, uint64_t ticks, const char *directory);

/* What an instance must exceed to be one of the slowest. */
uint64_t slowest_least(const struct slowest *slowest, size_t most);

void slowest_close(struct slowest *slowest);

#endif
