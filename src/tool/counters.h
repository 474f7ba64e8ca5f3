/* Counters of the kernel and the processor, read where regions begin and end (STAVE_COUNTERS): a group of
 * perf events for each thread, opened at its first event and read by one system call. */
#ifndef STAVE_TOOL_COUNTERS_H
#define STAVE_TOOL_COUNTERS_H

#include <stdbool.h>

#include "session/counters.h"
#include "session/records.h"

struct thread;

/* What goes after a record: slots is 0 if there is nothing. */
struct counter_words {
  uint64_t words[(COUNTER_TIMES + COUNTERS_MAX + 3) / 4 * 4];
  unsigned slots;
};

/* Reads what STAVE_COUNTERS names, and tries which of these can be had here; reports once what cannot. False:
 * there is a name that nobody knows; has reported it. */
bool counters_prepare(void);

/* Makes room for the groups of a session with so many slots, while no group is open; a forked child's may
 * have more than its parent's. Without memory no counters are read. */
void counters_make_room(uint32_t slots);

/* Opens the thread's group. */
void counters_attach(struct thread *thread);

/* Closes it. Only for the thread itself, or where it is dead. */
void counters_detach(struct thread *thread);

/* Closes the groups of all threads: of a forked child's parent, whose descriptors it has got, or at the end,
 * when no thread can be in a callback. */
void counters_close_all(void);

/* Reads the calling thread's group. */
void counters_read(struct counter_words *reading);

/* The thread is in a callback that reads counters, until it notes that it is not: then it may be in the C
 * library for it. For its own signal handlers. Nothing of a thread without counters. */
void counters_note_callback(bool is_in);

#endif
