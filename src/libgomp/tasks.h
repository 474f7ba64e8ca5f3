/* Explicit tasks: what libgomp is given in place of the program's functions and data. */
#ifndef STAVE_LIBGOMP_TASKS_H
#define STAVE_LIBGOMP_TASKS_H

#include "libgomp/thread.h"

/* Bits of what compilers hand over as flags (GOMP_TASK_FLAG_...). */
enum {
  GOMP_UNTIED = 1 << 0,
  GOMP_FINAL = 1 << 1,
  GOMP_MERGEABLE = 1 << 2,
  GOMP_DEPEND = 1 << 3,
  GOMP_UP = 1 << 8,
  GOMP_GRAINSIZE = 1 << 9,
  GOMP_IF = 1 << 10,
  GOMP_NOGROUP = 1 << 11,
  GOMP_REDUCTION = 1 << 12,
  GOMP_DETACH = 1 << 13
};

/* The header in front of a task's own data, in the block that libgomp keeps for it, or alone on the stack of
 * the thread that creates it. libgomp knows three words of it, as they are at these places of the program's
 * data. */
struct task_block {
  void *words[3]; /* a taskloop's bounds, written after the copy; or [0]: the event that a detachable task has
                   */
  struct task_block *home; /* where `task` is for as long as it lives: here, or in its creator's frame */
  void (*function)(void *);
  void (*copy)(void *, void *); /* NULL: the data are copied as they are */
  void *data;                   /* the program's, from which they are copied */
  void **dependences;           /* NULL: none */
  size_t bytes, offset;         /* of the program's data, and from the header to them */
  const void *code;
  struct omp_task task;
  unsigned gomp_flags;
  struct task_block *in_place; /* the block whose data are not copied: the function gets `data` itself */
  bool is_created_late;        /* task_create is delivered when it runs */
  bool is_loops;               /* a taskloop's: words[0] and [1] are its bounds */
  int64_t step;                /* of a taskloop */
  _Atomic int completion;      /* of a detachable task: detached.c */
  bool is_known;
};

/* Where the program's data begin behind a header, if they are aligned so. `alignment` becomes the whole
 * block's. */
size_t task_block_offset(long *alignment);

/* What libgomp gets: how it copies a block, and what it calls. The copy is where task_create is delivered,
 * unless `home` has been set: then that has been done. */
void task_block_copy(void *to, void *from);
void task_block_run(void *block);

/* As `task_block_run`, where a program's task may be discarded instead. */
void task_block_discard_or_run(void *block);

/* Which of the two. libgomp discards no task whose data a function has copied, as one of this library has. */
static inline void (*task_block_runner(const struct library *library, bool has_own_copy,
                                       unsigned gomp_flags))(void *) {
  bool is_discarded_here = library->can_cancel && !has_own_copy && !(gomp_flags & GOMP_DETACH);
  return is_discarded_here ? task_block_discard_or_run : task_block_run;
}

/* Where the calling thread's task goes on: begins and ends a call in which tasks may run. */
void task_frame_enter(struct omp_call call);
void task_frame_leave(struct omp_call call);

/* A task as compilers describe it, in OMPT's flags. */
uint32_t task_flags(const struct omp_call *call, unsigned gomp_flags);

/* Whether libgomp runs a task at once that is created now. A full queue makes it do that, too, which it does
 * not say beforehand. */
bool task_is_undeferred(const struct omp_call *call, bool is_deferred);

#endif
