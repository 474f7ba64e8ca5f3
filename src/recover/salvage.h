/* What a writer left in the directory of an archive that it could not close: the recovery file and the event
 * files. All of it is read, nothing is changed; no value in them is trusted. */
#ifndef STAVE_RECOVER_SALVAGE_H
#define STAVE_RECOVER_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/recovery/recovery_file.h"

enum { SALVAGE_LOCATIONS_MAX = 1 << 20 };

/* The head of a block, without its bytes. */
struct salvage_head {
  uint32_t use;
  uint32_t location;
  uint64_t sequence;
  uint64_t count;
};
_Static_assert(offsetof(struct recovery_block, count) == offsetof(struct salvage_head, count),
               "the head of a block");

/* A location's part of the recovery file. */
struct salvage_location {
  struct salvage_chunk {
    uint64_t sequence;
    off_t offset;
  } * chunks; /* by sequence */
  size_t chunk_count, chunk_capacity;
  bool has_file;
  bool is_counted; /* its first block is there, which states: */
  uint64_t complete_events;
};

struct salvage {
  const char *directory;
  int fd; /* of the recovery file */
  struct recovery_header header;
  unsigned char *journal;
  size_t journal_bytes;
  struct salvage_location *locations;
  size_t location_count, location_capacity;
};

/* Reads the recovery file but for its events, and finds the event files. directory stays the caller's.
 * Returns 0; -EBUSY if the writer lives; -ENODATA if the file ends within its header; -EINVAL if it is no
 * recovery file of this version of Stave; or a negative errno. salvage_close in every case. */
int salvage_open(struct salvage *salvage, const char *directory);
void salvage_close(struct salvage *salvage);

/* Locations are numbered from 0 on, and most have left events. A number far beyond all others is damaged, and
 * making all locations in between would waste memory and time. `known`: how many locations there are at
 * least, those without events included. Removes unlikely ones. */
void salvage_settle(struct salvage *salvage, size_t known);

/* Whether a location with this number is likely where so many others are known. */
bool salvage_is_likely(uint64_t location, size_t known);

/* The path of a location's event file, in `path`. */
void salvage_event_path(const char *directory, uint32_t location, char *path, size_t size);

/* Reads chunk number `sequence` of the location, as much of it as there is: from `file` (its event file, or
 * -1) if all is there, else from the recovery file. Returns the bytes, at most RECOVERY_CHUNK_BYTES. */
size_t salvage_chunk(const struct salvage *salvage, uint32_t location, int file, uint64_t sequence,
                     void *bytes);

#endif
