/* Threads: from attach to thread_end each is a location of the archive. */
#ifndef STAVE_WRITER_CORRELATE_THREADS_H
#define STAVE_WRITER_CORRELATE_THREADS_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* A thread that has a new slot goes on where it was if it is one that the archive still has. */
void thread_attaches(struct correlator *c, uint32_t slot, const struct record_attach *record);
/* The thread that has the slot now; a new location if none has. NULL if OTF2 cannot. */
struct traced_thread *thread_new(struct correlator *c, uint32_t slot, uint64_t ticks);
static inline struct traced_thread *thread_of(struct correlator *c, uint32_t slot, uint64_t ticks) {
  struct traced_thread *thread = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  return thread ? thread : thread_new(c, slot, ticks);
}
#endif
