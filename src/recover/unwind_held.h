/* What is held or in progress, of unwind.c: locks, and operations on devices. It belongs to no task. */
#ifndef STAVE_RECOVER_UNWIND_HELD_H
#define STAVE_RECOVER_UNWIND_HELD_H

#include "trace/trace.h"

/* All zeros but the window: nothing. */
struct unwind_held {
  uint32_t device_window; /* in others the program completes operations: nobody knows when it would have */
  uint32_t *locks;        /* by number: who acquired it last, in holds, + 1; 0: nobody holds it */
  size_t lock_capacity;
  struct open_hold *holds;
  size_t hold_count, hold_capacity;
  uint32_t unused; /* holds, as those of a lock */
  struct open_operation *operations;
  size_t operation_count, operation_capacity;
};

/* Notes what the event, which is to be written, begins or ends of these. */
void unwind_held_note(struct unwind_held *held, const struct trace_event *event);

/* Calls `add` for the events that end them all, with their locations but no time. */
void unwind_held_end(struct unwind_held *held, void (*add)(void *data, const struct trace_event *event),
                     void *data);

/* Calls `add` for the events that would release the lock, with their locations but no time. There may be
 * several: a runtime may report a release when the next thread has acquired the lock. */
void unwind_held_releases(const struct unwind_held *held, uint32_t lock,
                          void (*add)(void *data, const struct trace_event *event), void *data);

void unwind_held_close(struct unwind_held *held);

#endif
