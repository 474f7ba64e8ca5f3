/* What becomes of nearly all records of explicit tasks: a task is created, begins on a thread and ends there,
 * and its team is known. What there is to be done is that of tasks.c, without what only other tasks need, and
 * the record's events are written by one call. */
#ifndef STAVE_WRITER_CORRELATE_PLAIN_TASKS_H
#define STAVE_WRITER_CORRELATE_PLAIN_TASKS_H

#include <stdbool.h>

#include "session/records.h"
#include "writer/correlate/correlate.h"

/* Each returns false, having done nothing, where it is not as simple as that. */
bool plain_task_is_created(struct correlator *correlator, struct traced_thread *thread,
                           const struct record_task_create *record);

/* A task begins that has not run so far. */
bool plain_task_begins(struct correlator *correlator, struct traced_thread *thread,
                       const struct record_task_schedule *record);

/* The thread's task ends, and the implicit one or an explicit one that has run there goes on. */
bool plain_task_ends(struct correlator *correlator, struct traced_thread *thread,
                     const struct record_task_schedule *record);

#endif
