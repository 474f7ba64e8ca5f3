/* Tasks that are complete when an event is fulfilled, which any thread may do. */
#ifndef STAVE_LIBGOMP_DETACHED_H
#define STAVE_LIBGOMP_DETACHED_H

#include "libgomp/tasks.h"

/* The task gets libgomp's `event`. */
void detached_begin(struct task_block *home, void *event);

/* The task has run. Whether it is to be completed by its event, which has not been fulfilled. */
bool detached_end(struct task_block *home);

#endif
