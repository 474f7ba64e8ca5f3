/* Where threads run: places, partitions, processors. */
#ifndef STAVE_WRITER_CORRELATE_PLACEMENT_H
#define STAVE_WRITER_CORRELATE_PLACEMENT_H

#include "writer/correlate/model.h"

/* What is new of the thread's placement, as attributes of the Enter of a parallel region that is written
 * now. */
void add_placement(struct traced_thread *thread, struct event *enter);

#endif
