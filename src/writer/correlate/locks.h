/* Critical sections, ordered, atomic and locks. */
#ifndef STAVE_WRITER_CORRELATE_LOCKS_H
#define STAVE_WRITER_CORRELATE_LOCKS_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* The thread's acquisition of the lock, made in a pause, is written now if it is not yet. */
void lock_show(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint64_t ticks);
/* The same for all locks that a routine has set. */
void locks_show(struct correlator *c, struct traced_thread *thread, uint64_t ticks);
/* A lock routine that nothing followed has failed: it ends when it began. */
void lock_attempt_ends(struct correlator *c, struct traced_thread *thread);
/* Releases what the thread still holds, by events that say that the writer added them; with a wait id only
 * that lock. */
void locks_release_all(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t wait_id);
/* Of the innermost region of a task at the end: if it waits for a lock, the Leave that is added says for
 * which. */
bool lock_awaited(struct correlator *c, const struct frame *top, struct event *leave);
/* The number under which the archive has the lock; false if it was never acquired. */
bool lock_number(struct correlator *c, uint64_t wait_id, uint32_t *ret);
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
/* Up to `most` of the locks that the thread holds; returns how many there are. */
size_t locks_held(const struct traced_thread *thread, uint64_t *ret_wait_ids, size_t most);
void locks_free(struct correlator *c);

#endif
