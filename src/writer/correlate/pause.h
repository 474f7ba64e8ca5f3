/* omp_control_tool, and pausing (how: pause.c). */
#ifndef STAVE_WRITER_CORRELATE_PAUSE_H
#define STAVE_WRITER_CORRELATE_PAUSE_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Recording pauses on all threads. */
void pause_begin(struct correlator *c, uint64_t ticks);
/* A thread that appears in a pause. */
void pause_on_thread(struct correlator *c, struct traced_thread *thread, uint64_t ticks);
#endif
