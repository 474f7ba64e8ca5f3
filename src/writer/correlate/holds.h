/* Locks that threads hold, from the acquisition to the release. */
#ifndef STAVE_WRITER_CORRELATE_HOLDS_H
#define STAVE_WRITER_CORRELATE_HOLDS_H

#include "ompt/values.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

struct lock {
  uint32_t id;
  uint32_t order; /* of the last acquire that is known */
};

/* In the thread that has acquired: what it does with its own concerns nobody else (alone.h). */
struct hold {
  struct lock *lock;
  uint64_t wait_id;
  uint64_t task; /* id; 0: unknown */
  uint32_t order;
  bool is_hidden;  /* acquired in a pause: not written yet, and without an order */
  uint32_t region; /* of the routine that set it; REGION_NONE: a construct did */
};

/* A hold and whose it is. */
struct owned_hold {
  struct traced_thread *owner;
  struct hold *hold; /* NULL: there is none */
};

static inline void hold_remove(struct traced_thread *owner, struct hold *hold) {
  struct hold *last = &owner->holds[--owner->held_locks];
  for (; hold < last; hold++)
    hold[0] = hold[1];
}

/* NULL if it was never acquired. What is requested again and again is at hand. */
struct lock *lock_find_other(struct correlator *c, uint64_t wait_id);
static inline struct lock *lock_find(struct correlator *c, uint64_t wait_id) {
  const struct map_entry *last = &c->locks.last;
  return last->value && last->key == wait_id ? last->value : lock_find_other(c, wait_id);
}

/* The acquisition becomes an event. */
void hold_write(struct correlator *c, struct traced_thread *thread, struct hold *hold, uint64_t now);
/* Ends the hold, with an event on this thread. */
void hold_end(struct correlator *c, struct traced_thread *thread, struct owned_hold held,
              struct event *release);
/* The thread's acquisition of the lock, made in a pause, is written now if it is not yet. */
void lock_show(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint64_t ticks);
/* Releases what the thread still holds, by events that are marked as added by the writer; with a wait id only
 * that lock. */
void locks_release_all(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t wait_id);
/* Of the innermost region of a task at the end: if it waits for a lock, the added Leave names
 * which. */
bool lock_awaited(struct correlator *c, const struct frame *top, struct event *leave);
/* The number under which the archive has the lock; false if it was never acquired. */
bool lock_number(struct correlator *c, uint64_t wait_id, uint32_t *ret);

#endif
