/* Critical sections, ordered, atomic and locks. */
#ifndef STAVE_WRITER_CORRELATE_LOCKS_H
#define STAVE_WRITER_CORRELATE_LOCKS_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* As lock_show, of all locks that a routine has set. */
void locks_show(struct correlator *c, struct traced_thread *thread, uint64_t ticks);
/* A lock routine that nothing followed has failed: it ends when it began. */
void lock_attempt_ends(struct correlator *c, struct traced_thread *thread);
/* The next acquisition of the lock is this one; false if nobody has acquired it so far. */
bool lock_next_order(struct correlator *c, uint64_t wait_id, uint32_t *ret);
/* Whether such a record concerns nothing but its thread, and names nothing for the first time (alone.h).
 * `id`: the record's. */
bool lock_acquire_is_alone(struct correlator *c, const struct traced_thread *thread,
                           const struct record_mutex_acquire *record);
bool lock_acquired_is_alone(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_acquired *record, uint64_t id);
bool lock_released_is_alone(struct correlator *c, struct traced_thread *thread,
                            const struct record_mutex_released *record);
void locks_free(struct correlator *c);

#endif
