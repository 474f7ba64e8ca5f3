/* Whether a thread has a processor, as the kernel tells (STAVE_SYSTEM): metrics on its own location. */
#ifndef STAVE_WRITER_CORRELATE_RUNNING_H
#define STAVE_WRITER_CORRELATE_RUNNING_H

#include "writer/correlate/correlate.h"

/* From this time on the thread is in this state; on which processor, or -1 if that has not changed. All that
 * has an earlier time on its location may still come. */
void running_switch(struct correlator *c, struct traced_thread *thread, uint64_t ticks, unsigned state,
                    int processor);

/* So many page faults has it had by then. */
void running_faults(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t faults);

#endif
