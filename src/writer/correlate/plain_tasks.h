/* What becomes of nearly all records of explicit tasks: a task is created, begins on a thread and ends there,
 * and its team is known. What there is to be done is that of tasks.c, without what only other tasks need, and
 * the record's events are written by one call. */
#ifndef STAVE_WRITER_CORRELATE_PLAIN_TASKS_H
#define STAVE_WRITER_CORRELATE_PLAIN_TASKS_H

#include <stdbool.h>

#include "session/records.h"
#include "writer/correlate/correlate.h"

/* Handles the first of these records of the thread, which follow each other, n of them from the one with this
 * id on, as long as they are as simple as that, and counts them. Returns how many. Nothing of the thread
 * waits for a record. */
uint64_t plain_tasks(struct correlator *correlator, struct traced_thread *thread, uint64_t id,
                     const struct record *records, uint64_t n);

static inline bool is_of_task(const struct record *record) {
  return record->type == RECORD_task_create || record->type == RECORD_task_schedule;
}

#endif
