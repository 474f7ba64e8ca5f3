/* What is held or under way, of unwind.c: locks, and operations on devices. It belongs to no task. */
#ifndef STAVE_RECOVER_UNWIND_HELD_H
#define STAVE_RECOVER_UNWIND_HELD_H

#include "analysis/trace.h"

/* All zeros but the window: nothing. */
struct unwind_held {
  uint32_t device_window;  /* in others the program completes operations: nobody knows when it would have */
  struct open_lock *locks; /* by number */
  size_t lock_capacity;
  struct open_operation *operations;
  size_t operation_count, operation_capacity;
};

/* Notes what the event, which is to be written, begins or ends of these. */
void unwind_held_note(struct unwind_held *held, const struct trace_event *event);

/* Calls `add` for the events that end them all, with their locations but no time. */
void unwind_held_end(struct unwind_held *held, void (*add)(void *data, const struct trace_event *event),
                     void *data);

/* Whether the lock is held; then the event that would release it, with its location but no time. */
bool unwind_held_by(const struct unwind_held *held, uint32_t lock, struct trace_event *ret_release);

void unwind_held_close(struct unwind_held *held);

#endif
