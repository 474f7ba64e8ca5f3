/* What is undone when the runtime's first thread ends. */
#ifndef STAVE_TOOL_FIRST_THREAD_H
#define STAVE_TOOL_FIRST_THREAD_H

#include <stdbool.h>

#include "ompt/types.h"

/* A runtime was initialized, and whether it delivers mutex_released. */
void first_thread_initialized(ompt_set_callback_t set_callback, bool has_released);

/* An initial thread begins: the first one of a process is the one meant here. */
void first_thread_begins(void);

/* A thread has reported its end. If it is the first one, no mutex is reported from here on; waits some
 * milliseconds for others then. */
void first_thread_ends(void);

#endif
