/* Worksharing regions, synchronisation regions and the waiting in them. */
#ifndef STAVE_WRITER_CORRELATE_SYNC_H
#define STAVE_WRITER_CORRELATE_SYNC_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Whether the thread is in a barrier that may turn out to be its region's last, and that it left earlier
 * than its own records report. */
bool may_end_late(const struct traced_thread *thread);
/* Ends the worksharing region that the thread's task has not ended itself. */
void leave_unended_work(struct correlator *c, struct traced_thread *thread, uint64_t now);
/* Whether what handles this record of worksharing or synchronisation would name nothing for the first time
 * (alone.h). */
bool sync_is_known(struct correlator *c, const struct traced_thread *thread, const struct record *record);

#endif
