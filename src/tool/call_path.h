/* The call path of an interrupted thread, for the sampling handler: async signal safe.
 *
 * It follows frame pointers, and reads nothing but the thread's own stack above its stack pointer. Code
 * without frame pointers ends a chain early; where the runtime reports at which frames it was entered and
 * left (ompt_frame_t, OpenMP 5.1, 4.4.4.28) the path goes on from there. */
#ifndef STAVE_TOOL_CALL_PATH_H
#define STAVE_TOOL_CALL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/types.h"
#include "session/records.h"

struct call_path {
  /* innermost first, with SAMPLE_IN_RUNTIME and SAMPLE_OUTER_TASK */
  uint64_t addresses[SAMPLE_ADDRESSES_MAX];
  unsigned count;
  bool is_cut; /* there were more */
};

struct thread;

/* Fills *path from a signal handler's third argument. Where the stack pointer is not in the thread's stack (a
 * coroutine's stack, or nothing is known), the path is one address. is_waiting: the thread's state is a
 * waiting one, hence it runs the runtime's code. */
void call_path_find(struct call_path *path, const void *context, const struct thread *thread,
                    bool is_waiting);

/* A thread's first event, on that thread: publishes the modules that are loaded, so that addresses get names,
 * and finds its stack. */
void call_path_prepare(struct thread *thread, uint64_t ticks);

/* Return addresses of those who called the program's function that has just entered the runtime, innermost
 * first, given the frame with which it did (ompt_frame_t of its task). Ends at the C library, which calls
 * main and comparisons, and at the runtime, which calls a region's code. Returns how many, at most `most`; 0
 * on a stack that is not the thread's own. */
unsigned call_path_callers(uint64_t *addresses, unsigned most, const struct thread *thread,
                           const ompt_frame_t *frame);

#endif
