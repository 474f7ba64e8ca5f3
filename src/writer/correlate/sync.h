/* Worksharing regions, synchronisation regions and the waiting in them. */
#ifndef STAVE_WRITER_CORRELATE_SYNC_H
#define STAVE_WRITER_CORRELATE_SYNC_H

#include "writer/correlate/correlate.h"
#include "writer/model/model.h"

/* Whether the location is in a barrier that may turn out to be its region's last, and that it left earlier
 * than its own records say. */
bool may_end_late(const struct location *location);
/* Ends the worksharing region that the location's task has not ended itself. */
void leave_unended_work(struct correlator *c, struct location *location, uint64_t now);

#endif
