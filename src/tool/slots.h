/* Slots of the session for threads, those of dead threads among them. */
#ifndef STAVE_TOOL_SLOTS_H
#define STAVE_TOOL_SLOTS_H

#include "session/layout.h"

/* As session_get_slot, for a thread's first event. Waits for the writer, 5 ms at most, where ended threads
 * have left full rings. Now and then looks which threads have died without reporting that they end: a system
 * call for each slot, at most two for each that was taken. */
struct thread_slot *slots_get(int32_t kernel_tid, uint32_t *ret_index);

/* The slot's thread will not use it any more, or is dead. The next one goes on in its ring, after what the
 * writer has not read yet; where half of it is unread the writer gives the slot back when it has read
 * that. */
void slots_give_back(uint32_t index);

/* Whether a thread has a slot that is alive, and not the calling one. */
bool slots_have_others(void);

/* The same of threads that run, or wait for a processor. */
bool slots_have_running_others(void);

/* The same, but for threads that the runtime has created, which may be awake between regions. */
bool slots_have_running_of_program(void);

/* Whether the main thread has ended before the process (pthread_exit). */
bool slots_main_has_ended(void);

/* How many of the other threads that have slots the runtime has created, and how many it has not. */
uint32_t slots_of_runtime(void);
uint32_t slots_others_of_program(void);

#endif
