/* libomp 19 and later report a thread and its initial task in the middle of fork(), though few forked
 * children use OpenMP: both are kept here until something else happens, which begins the child's session.
 * Ends begin none. */
#ifndef STAVE_TOOL_DEFERRED_BEGINS_H
#define STAVE_TOOL_DEFERRED_BEGINS_H

#include <stdbool.h>
#include <stdint.h>

/* True in such a child: the begin is kept. */
bool deferred_keep_thread(uint32_t thread_type);
bool deferred_keep_initial_task(uint64_t actual_and_index, uint32_t flags);

/* True in such a child, where something ends: nothing of the thread's is kept any more. */
bool deferred_forget(void);

/* At a thread's first event: records what is kept of it. */
void deferred_replay(uint64_t ticks);

#endif
