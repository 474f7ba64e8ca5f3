/* Worksharing regions, synchronisation regions and the waiting in them. */
#ifndef STAVE_WRITER_CORRELATE_SYNC_H
#define STAVE_WRITER_CORRELATE_SYNC_H

#include "writer/correlate/correlate.h"
#include "writer/model/model.h"

/* Whether the location is in a barrier that may turn out to be its region's last, and that it left earlier
 * than its own records say. */
bool may_end_late(const struct location *location);
void on_reduction(struct correlator *c, struct location *location, const struct record_reduction *record);
void on_masked(struct correlator *c, struct location *location, const struct record_masked *record);
void on_dispatch(struct correlator *c, struct location *location, const struct record_dispatch *record);
void on_flush(struct correlator *c, struct location *location, const struct record_flush *record);
void on_error(struct correlator *c, struct location *location, const struct record_error *record,
              const uint64_t *words);
/* Ends the worksharing region that the location's task has not ended itself. */
void leave_unended_work(struct correlator *c, struct location *location, uint64_t now);
void on_work(struct correlator *c, struct location *location, const struct record_work *record);
void on_sync_region(struct correlator *c, struct location *location, const struct record_sync_region *record);
void on_sync_region_wait(struct correlator *c, struct location *location,
                         const struct record_sync_region_wait *record);

#endif
