/* Taskloops: libgomp creates the tasks and waits for them in one call. */
#ifndef STAVE_LIBGOMP_TASKLOOP_H
#define STAVE_LIBGOMP_TASKLOOP_H

#include "libgomp/thread.h"

/* The innermost taskloop construct whose tasks the thread is creating. */
struct taskloop {
  const void *code;
  uint64_t count;
  bool waits;        /* for its tasks: it has a taskgroup around it */
  bool runs_at_once; /* each task when it is created */
  struct taskloop *outer;
};

/* All tasks have been created: the thread waits for them, if the construct does (tasks.c). */
void taskloop_begin_waiting(struct omp_thread *thread, struct taskloop *loop);

/* The calling thread is about to run a task: the one whose taskloop it has been creating is waiting now. */
void taskloop_has_created(struct omp_thread *thread);

#endif
