/* What of frames, tasks and operations is written in a pause, and what is hidden (how: pause.c). */
#ifndef STAVE_WRITER_CORRELATE_PAUSE_FRAMES_H
#define STAVE_WRITER_CORRELATE_PAUSE_FRAMES_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Something may be hidden that began in a pause. */
static inline bool has_paused(const struct correlator *c) {
  return c->paused_ticks != UINT64_MAX;
}

/* Whether nothing is written of a frame that begins in a pause. */
bool pause_hides(const struct task *task, const struct frame *frame);

/* Something of the task must be written: in a pause, switches to it first if another task seems to run. */
void pause_show_now(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks);
static inline void pause_show(struct correlator *c, struct traced_thread *thread, struct task *task,
                              uint64_t ticks) {
  if (c->is_paused)
    pause_show_now(c, thread, task, ticks);
}

/* The thread switches to `next` in a pause: written only if it leaves a task that seems to run. */
void pause_switch(struct correlator *c, struct traced_thread *thread, const struct task *next,
                  uint64_t ticks);
/* The task goes on after a pause, if there was one: enters what it had entered in that. */
void pause_enter_all(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks);
static inline void pause_enter_hidden(struct correlator *c, struct traced_thread *thread, struct task *task,
                                      uint64_t ticks) {
  if (has_paused(c))
    pause_enter_all(c, thread, task, ticks);
}

/* Whether an operation of a device is not written: it began and ended in the last pause. One that began in it
 * and ended after it begins at the pause's end. */
bool pause_covers(const struct correlator *c, uint64_t *begin, uint64_t end);

#endif
