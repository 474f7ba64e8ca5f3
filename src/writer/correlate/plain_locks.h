/* What becomes of nearly all records of locks and critical sections: one is requested, acquired and released
 * by a thread that holds it once, it has been acquired before, and its regions have been entered before. What
 * there is to be done is that of locks.c, without what only others need, and the record's events are written
 * by one call. Nothing is named for the first time, and nothing concerns another thread (alone.h). */
#ifndef STAVE_WRITER_CORRELATE_PLAIN_LOCKS_H
#define STAVE_WRITER_CORRELATE_PLAIN_LOCKS_H

#include <stdbool.h>

#include "session/records.h"
#include "writer/correlate/correlate.h"

/* Handles the first of these records of the thread, which follow each other, n of them from the one with this
 * id on, as long as they are as simple as that and earlier than `until`, and counts them. Returns how many.
 * Nothing of the thread waits for a record. is_beside: others encode, too, so that only acquisitions whose
 * order is settled are handled. */
uint64_t plain_locks(struct correlator *correlator, struct traced_thread *thread, uint64_t id,
                     const struct record *records, uint64_t n, uint64_t until, bool is_beside);

static inline bool is_of_lock(const struct record *record) {
  return record->type == RECORD_mutex_acquire || record->type == RECORD_mutex_acquired ||
         record->type == RECORD_mutex_released;
}

#endif
