/* Whether a thread has a processor, as the kernel reports (STAVE_SYSTEM): metrics on its own location. */
#ifndef STAVE_WRITER_CORRELATE_RUNNING_H
#define STAVE_WRITER_CORRELATE_RUNNING_H

#include "session/records.h"
#include "writer/correlate/correlate.h"

/* From this time on the thread is in this state; on which processor, or -1 if that has not changed. All that
 * has an earlier time on its location may still come. */
void running_switch(struct correlator *c, struct traced_thread *thread, uint64_t ticks, unsigned state,
                    int processor);

/* So many page faults has it had by then. */
void running_faults(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t faults);

/* STAVE_KEEP: the same among the records that are kept, in the order of time, as records that come from no
 * ring: the slot has RUNNING_SLOT added, which no thread's has. */
enum { RUNNING_SLOT = 1 << 23 };
enum running_kind { RUNNING_SWITCH, RUNNING_FAULTS, RUNNING_MISSED /* switches, so many */ };

/* ticks; a: state or number; b: the kernel's number of the thread; c: processor, or -1; endpoint: which it
 * is. */
void running_add(struct correlator *c, uint32_t slot, const struct record *record);

/* From this time on everything is written: the thread's state and processor first, and its page faults. */
void running_show(struct correlator *c, struct traced_thread *thread, uint64_t ticks);

#endif
