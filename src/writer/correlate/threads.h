/* Threads: from attach to thread_end each is a location of the archive. */
#ifndef STAVE_WRITER_CORRELATE_THREADS_H
#define STAVE_WRITER_CORRELATE_THREADS_H

#include "writer/correlate/correlate.h"
#include "writer/model/model.h"

/* A thread that has a new slot goes on where it was if it is one that the archive still has. */
void thread_attaches(struct correlator *c, uint32_t slot, const struct record_attach *record);
/* The thread that has the slot now; a new location if none has. NULL if OTF2 cannot. */
struct location *location_new(struct correlator *c, uint32_t slot, uint64_t ticks);
static inline struct location *location_of(struct correlator *c, uint32_t slot, uint64_t ticks) {
  struct location *location = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  return location ? location : location_new(c, slot, ticks);
}
/* What is new of the thread's placement, as attributes of the Enter of a parallel region that is written
 * now. */
void tell_placement(struct location *location, struct event *enter);

#endif
