/* Events that were dropped. */
#ifndef STAVE_WRITER_CORRELATE_GAPS_H
#define STAVE_WRITER_CORRELATE_GAPS_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Nothing is between the end of a team and the join: the team that the thread has forked is joined if only
 * that is missing. */
void gap_join(struct correlator *c, struct traced_thread *thread, uint64_t ticks);
/* The thread has no more events, or they are missing from `ticks` on: its own part of the team that it has
 * forked begins there if it has not, and the team is joined if only that is missing. */
void gap_team(struct correlator *c, struct traced_thread *thread, uint64_t ticks);

#endif
