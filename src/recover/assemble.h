/* Event files that OTF2 can read, from what a writer left of them: an archive of events without
 * definitions. */
#ifndef STAVE_RECOVER_ASSEMBLE_H
#define STAVE_RECOVER_ASSEMBLE_H

#include "recover/salvage.h"

/* What became of a location. */
struct assembled {
  uint64_t events;
  uint64_t last_ticks;
  uint64_t missing; /* events that the writer had written and that are not there */
  bool is_complete; /* nothing that the writer wrote is known to be missing */
};

/* Makes an archive of all locations' events in the existing, empty directory; `found` has room for all of
 * them. Returns 0 or a negative errno; if that is of reading what was left, its path is in ret_refused
 * (PATH_MAX bytes). */
int assemble(const struct salvage *salvage, const char *directory, struct assembled *found,
             char *ret_refused);

#endif
