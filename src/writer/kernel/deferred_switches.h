/* STAVE_KEEP with STAVE_SYSTEM: what the kernel has reported of threads waits here, as records without a
 * type, for the records of rings that are of its time. */
#ifndef STAVE_WRITER_KERNEL_DEFERRED_SWITCHES_H
#define STAVE_WRITER_KERNEL_DEFERRED_SWITCHES_H

#include <stddef.h>
#include <stdint.h>

#include "session/layout.h"
#include "writer/pipeline/ring_merge.h"

struct deferred_switch {
  uint64_t id;
  struct record record;
};

/* Nothing, if all is 0. */
struct deferred_switches {
  struct deferred_switch *records; /* from `begin` on; up to `settled` in the order of time */
  size_t begin, settled, end, capacity;
  uint64_t ever, dropped;
};

/* Adds a record of the thread in the slot (RUNNING_SLOT is added), whose time is not before others' that have
 * settled, or counts as theirs. */
void deferred_put(struct deferred_switches *deferred, uint32_t slot, struct record record);

/* Puts what was added since the last time, thread by thread, into the order of time. If a program records
 * nothing for long the oldest make room; the next one has their number. */
void deferred_settle(struct deferred_switches *deferred);

/* Hands on what has settled and is of the time up to that: the ids are of slots with RUNNING_SLOT. */
void deferred_hand_on(struct deferred_switches *deferred, uint64_t until, merge_sink sink, void *data);

/* Hands on one record, in front of what waits. */
void deferred_hand_on_now(struct deferred_switches *deferred, uint32_t slot, struct record record,
                          merge_sink sink, void *data);

void deferred_free(struct deferred_switches *deferred);

#endif
