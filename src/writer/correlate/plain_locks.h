/* What becomes of nearly all records of locks and critical sections: one is requested, acquired and released
 * by a thread that holds it once, it has been acquired before, and its regions have been entered before. What
 * there is to be done is that of locks.c, without what only others need, and the record's events are written
 * by one call. Nothing is named for the first time, and nothing concerns another thread (alone.h). */
#ifndef STAVE_WRITER_CORRELATE_PLAIN_LOCKS_H
#define STAVE_WRITER_CORRELATE_PLAIN_LOCKS_H

#include <stdbool.h>

#include "session/records.h"
#include "writer/correlate/correlate.h"

/* Each returns false, having done nothing, where it is not as simple as that. */
bool plain_lock_is_requested(struct correlator *correlator, struct traced_thread *thread,
                             const struct record_mutex_acquire *record);
bool plain_lock_is_acquired(struct correlator *correlator, struct traced_thread *thread,
                            const struct record_mutex_acquired *record);
bool plain_lock_is_released(struct correlator *correlator, struct traced_thread *thread,
                            const struct record_mutex_released *record);

#endif
