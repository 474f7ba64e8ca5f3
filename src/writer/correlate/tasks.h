/* Explicit tasks. */
#ifndef STAVE_WRITER_CORRELATE_TASKS_H
#define STAVE_WRITER_CORRELATE_TASKS_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Writes the creation of a task that was created in a pause. */
void task_show(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks);
void task_switch(struct correlator *c, struct traced_thread *thread, struct task *next, uint64_t ticks,
                 uint32_t status);
/* The task, which is tied and runs on the thread, has ended without a word: its regions are left, and it
 * completes, by an event that states that the writer added it; not at the end of the process, where tasks may
 * be unfinished. */
void infer_complete(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks);
/* The task is over; frees it. */
void task_forget(struct correlator *c, struct task *task);
/* A record states that the task with the id (0: the implicit one) encounters something here: switches to it
 * if the one that ran here was left without a word. An untied task may be, and so does LLVM's runtime leave
 * the tasks that others end for it (__kmpc_proxy_task_completed): it reports that it began them and no more.
 * The implicit task has no id. Of a thread that has a gap, the word may have been dropped. */
void task_suspend_unreported(struct correlator *c, struct traced_thread *thread, uint64_t ticks);
static inline void task_infer_suspend(struct correlator *c, struct traced_thread *thread, uint64_t task_id,
                                      uint64_t ticks) {
  if (!task_id && !thread->current->is_implicit)
    task_suspend_unreported(c, thread, ticks);
}

#endif
