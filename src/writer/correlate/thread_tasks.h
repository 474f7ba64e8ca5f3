/* What a thread works on: its tasks and teams; and the threads themselves, one after the other. */
#ifndef STAVE_WRITER_CORRELATE_THREAD_TASKS_H
#define STAVE_WRITER_CORRELATE_THREAD_TASKS_H

#include <string.h>

#include "base/pool.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/model.h"

/* The next thread in the order of their locations' numbers, from *position = 0 on; NULL: there is none. */
struct traced_thread *thread_next(struct correlator *c, size_t *position);

/* The thread with the location of this number; NULL: it is a device's, or none has it. */
struct traced_thread *thread_at(struct correlator *c, size_t number);

/* Makes it zero. (In pieces that gcc has instructions for: of all of it, it would make a call.) */
static inline void task_clear(struct task *task) {
  enum { PIECE = 4 * sizeof(uint64_t), REST = sizeof *task % PIECE };
#pragma GCC unroll 8
  for (size_t at = 0; at + PIECE <= sizeof *task; at += PIECE)
    memset((char *)task + at, 0, PIECE);
  memset((char *)task + sizeof *task - REST, 0, REST);
}

static inline struct task *task_new(struct correlator *correlator) {
  uint32_t number;
  struct task *task = pool_new(&correlator->task_pool, &number);
  struct frame *frames = task->stack.frames;
  size_t capacity = task->stack.capacity;
  task_clear(task);
  task->pool = &correlator->task_pool;
  task->number = number;
  task->stack.frames = frames;
  task->stack.capacity = capacity;
  return task;
}

static inline void task_free(struct task *task) {
  if (!task)
    return;
  team_release(task->team);
  pool_put(task->pool, task->number);
}

/* Whether the thread runs the task, or will come back to it. */
bool thread_has_open(const struct traced_thread *thread, const struct task *task);

/* The implicit or initial task in whose team the thread works now, or its base: an explicit task runs in
 * front of the implicit one, which its `outer` names. */
static inline struct task *implicit_task_of(struct traced_thread *thread) {
  struct task *task = thread->current;
  while (!task->is_implicit && task != thread->base)
    task = task->outer ? task->outer : thread->base;
  return task;
}

/* The team for what the thread's tasks refer to: the innermost one, or its serial part's. */
struct team *team_of(struct correlator *correlator, struct traced_thread *thread);

/* The thread's own team of one, for tasks outside of parallel regions. */
struct team *serial_team_of(struct correlator *c, struct traced_thread *thread);

/* The thread's number in that team. */
uint32_t thread_number_of(struct traced_thread *thread);

/* The address of the task or parallel region that the thread is in; 0: none that is known. */
uint64_t code_around(struct traced_thread *thread);

/* A switch to the task on the thread, or to the thread's own part of a team. */
static inline struct event task_switch_event(struct correlator *c, struct traced_thread *thread,
                                             const struct task *task, uint64_t ticks) {
  bool is_explicit = !task->is_implicit && task != thread->base;
  bool is_serial = !is_explicit && (!task->team || task->is_initial);
  return (struct event){.kind = EVENT_TASK_SWITCH,
                        .ticks = ticks,
                        .team = is_serial ? serial_team_of(c, thread) : task->team,
                        .creator = is_serial ? 0 : task->creator,
                        .generation = is_explicit ? task->generation : 0};
}

#endif
