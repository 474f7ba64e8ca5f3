/* The end of the process (correlate_end), and of a thread. */
#ifndef STAVE_WRITER_CORRELATE_CLOSING_H
#define STAVE_WRITER_CORRELATE_CLOSING_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Ends all that is open on the thread, from the inside out, until it is back at its base. Regions that it
 * has forked are joined. */
void thread_unwind(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks);
/* Leaves the regions of tied tasks that were suspended on the thread, which ends: nobody else can go on with
 * them. */
void tasks_leave_on(struct correlator *correlator, struct traced_thread *thread, uint64_t ticks);

#endif
