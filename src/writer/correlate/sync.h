/* Worksharing regions, synchronisation regions and the waiting in them. */
#ifndef STAVE_WRITER_CORRELATE_SYNC_H
#define STAVE_WRITER_CORRELATE_SYNC_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Whether what handles this record of worksharing or synchronisation would name nothing for the first time
 * (alone.h). */
bool sync_is_known(struct correlator *c, const struct traced_thread *thread, const struct record *record);

#endif
