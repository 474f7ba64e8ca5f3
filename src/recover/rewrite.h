/* From the assembled events to the new archive: every event as it is, then the ends of what is open. */
#ifndef STAVE_RECOVER_REWRITE_H
#define STAVE_RECOVER_REWRITE_H

#include "recover/journal.h"

struct rewritten {
  uint64_t events;    /* in the new archive */
  uint64_t added;     /* of these, ends that the writer did not reach */
  uint64_t refused;   /* events that OTF2 refused, or that must not be alone */
  uint64_t unknown;   /* references to definitions that are missing */
  uint64_t after_cut; /* events after the first that refers to a team that the journal does not have */
  uint64_t end_ticks; /* at which what was open has been ended */
};

/* Reads the archive at `anchor`; the locations of journal->definitions are open and have as many as it;
 * `events` has the number of each one's. All that is open is ended at end_ticks. The references of events to
 * definitions that the journal does not have go to one that reports it; but for teams, without whose members
 * no task or thread is known: there the archive ends. Calls `progress` now and then with the number of events
 * so far. Returns 0; or -EIO with a line in `error`: then what could be read until there has been taken. */
int rewrite(const char *anchor, struct journal *journal, const uint64_t *events, uint64_t end_ticks,
            void (*progress)(uint64_t events), struct rewritten *ret, char *error);

#endif
