/* Explicit tasks: what libgomp is given in place of the program's functions and data. */
#ifndef STAVE_LIBGOMP_TASKS_H
#define STAVE_LIBGOMP_TASKS_H

#include <string.h>

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/taskloop.h"
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

/* What may be cancelled. */
enum { GOMP_CANCEL_PARALLEL = 1, GOMP_CANCEL_LOOP = 2, GOMP_CANCEL_SECTIONS = 4, GOMP_CANCEL_TASKGROUP = 8 };

/* What is unusual in a task. */
enum {
  TASK_IN_PLACE = 1 << 0, /* nothing is copied: libgomp runs the creator's block, the function gets `data` */
  TASK_AT_HOME = 1 << 1,  /* its identity is in its creator's frame: it ends before its creator's call does */
  TASK_LATE = 1 << 2,     /* task_create is delivered when it runs */
  TASK_OF_LOOP = 1 << 3,  /* a taskloop's: words[0] and [1] are its bounds */
  TASK_DETACHED = 1 << 4  /* words[0] is its event */
};

/* The header in front of a task's own data, in the block that libgomp keeps for it, or alone on the stack of
 * the thread that creates it. libgomp knows three words of it, as they are at these places of the program's
 * data. What a thread has to write for each task comes last, and is as little as can be. */
struct task_block {
  void *words[3]; /* of a taskloop: its bounds, written after the copy; of a detachable task: its event */
  struct task_block *home; /* where `task` is: here, or in its creator's frame */
  int64_t step;            /* of a taskloop */
  _Atomic int completion;  /* of a detachable task: detached.c */
  bool is_known;
  struct omp_task task;
  void (*function)(void *);
  void (*copy)(void *, void *); /* NULL: the data are copied as they are */
  void *data;                   /* the program's, from which they are copied */
  void **dependences;           /* NULL: none */
  size_t bytes, offset;         /* of the program's data, and from the header to them */
  const void *code;
  unsigned traits;
};

/* Where the program's data begin after a header, if they are aligned so. `alignment` becomes that of the
 * block as such. */
static inline size_t task_block_offset(long *alignment) {
  enum { MIN = 16 };
  if (LIKELY(*alignment <= MIN)) {
    *alignment = MIN;
    return (sizeof(struct task_block) + MIN - 1) / MIN * MIN;
  }
  return (sizeof(struct task_block) + (size_t)*alignment - 1) / (size_t)*alignment * (size_t)*alignment;
}

/* What libgomp gets: how it copies a block, and what it calls. The copy is where task_create is delivered,
 * unless `home` has been set: then that has been done. */
void task_block_copy(void *to, void *from);
void task_block_run(void *block);

/* As `task_block_run`, where a program's task may be discarded instead. */
void task_block_discard_or_run(void *block);

/* Which of the two. libgomp discards no task whose data a function has copied, as one of this library has. */
static inline void (*task_block_runner(const struct library *library, bool has_own_copy,
                                       unsigned gomp_flags))(void *) {
  bool is_discarded_here = library_can_cancel(library) && !has_own_copy && !(gomp_flags & GOMP_DETACH);
  return is_discarded_here ? task_block_discard_or_run : task_block_run;
}

/* Where the calling thread's task goes on: begins and ends a call in which tasks may run. */
static inline __attribute__((always_inline)) void task_frame_enter(struct omp_call call) {
  call.thread->task->frame.enter_frame.ptr = __builtin_frame_address(0);
}

static inline void task_frame_leave(struct omp_call call) {
  call.thread->task->frame.enter_frame.ptr = NULL;
  call.thread->code = call.code;
}

/* Around the task's function. libgomp never moves a task that has started to another thread, so a thread's
 * tasks are a stack. */
static inline __attribute__((always_inline)) void
task_begin_in(struct omp_thread *thread, struct omp_task *task, const void *code, void *frame) {
  struct omp_task *prior = thread->task;
  thread->code = code;
  task->frame.exit_frame.ptr = frame;
  if (UNLIKELY(thread->taskloop))
    taskloop_has_created(thread);
  task->outer = prior;
  task->implicit = prior->implicit;
  thread_set_task(thread, task);
  thread->state = thread->work_state;
  DELIVER(task_schedule, &prior->data, OMPT_TASK_STATUS_switch, &task->data);
}

static inline __attribute__((always_inline)) void task_begin(struct omp_thread *thread, struct omp_task *task,
                                                             const void *code) {
  task_begin_in(thread, task, code, __builtin_frame_address(0));
}

static inline void task_end(struct omp_thread *thread, struct omp_task *task, ompt_task_status_t status) {
  struct omp_task *outer = task->outer;
  thread_set_task(thread, outer);
  DELIVER(task_schedule, &task->data, status, &outer->data);
}

static inline ompt_task_status_t task_status(const struct omp_task *task) {
  return UNLIKELY(task->is_cancelled) ? OMPT_TASK_STATUS_cancel : OMPT_TASK_STATUS_complete;
}

/* What the program's data are copied with; `copy` NULL: as they are. */
static inline void task_copy_data(void *to, void *data, size_t bytes, void (*copy)(void *, void *)) {
  if (copy)
    copy(to, data);
  else if (bytes) /* without data the program gives NULL */
    memcpy(to, data, bytes);
}

/* A task as compilers describe it, in OMPT's flags: some are in the same order. */
static inline uint32_t task_flags(const struct omp_thread *thread, unsigned gomp_flags) {
  const unsigned same = GOMP_UNTIED | GOMP_FINAL | GOMP_MERGEABLE;
  return OMPT_TASK_explicit | (gomp_flags & same) * (OMPT_TASK_untied / GOMP_UNTIED) |
         (thread->task->flags & OMPT_TASK_final);
}

/* Whether libgomp runs a task immediately that is created now. A full queue makes it do that, too, which
 * nothing shows beforehand. */
bool task_is_undeferred(const struct omp_call *call, bool is_deferred);

/* What is handed over on the stack. Compilers keep parameters that they have read in the places where they
 * came from; but gcc 4.4 hands over no more than the flags, gcc 4.9 dependences, gcc 6 a priority and gcc 11
 * an event. What is there else are variables of the caller, which another thread may write: so they are only
 * read. */
#ifdef __x86_64__
#define SEVENTH volatile
#else
#define SEVENTH
#endif
#define NINTH volatile

#define TASK_PARAMETERS                                                                                      \
  void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,                  \
      bool is_deferred, unsigned SEVENTH flags, void **SEVENTH dependences, int NINTH priority,              \
      void *NINTH detach
#define TASK_ARGUMENTS fn, data, copy, bytes, alignment, is_deferred, flags, dependences, priority, detach

/* GOMP_task for tasks of all kinds. */
void task_create_any(TASK_PARAMETERS);

/* -- tasks that are not the usual ones -- */

/* A call of GOMP_task, as task_at_once.c puts it on the stack: what libgomp is given in the end is written
 * over what the program gave, but for what is on its own stack. */
struct task_call {
  struct function_call function;
  void (*copy)(void *, void *);
  long bytes, alignment;
  _Alignas(8) bool is_deferred;
  void *outer_frame;
  const void *code; /* after the call */
  const _Alignas(8) unsigned flags;
  void **const dependences;
};

/* What is called in place of the program's call. */
void (*task_choose(struct task_call *given, void *frame))(TASK_PARAMETERS);

/* A compiler that counts what is executed makes no jump. */
#if defined(HAS_ENTRIES) && defined(__OPTIMIZE__) && !defined(COUNTS_ARCS)
#define HAS_TASK_ENTRY
#endif

/* Goes on with the program's call, as if GOMP_task had started with it: jumped to, where there is an entry.
 * It has what is on the stack from the caller's. */
#if defined(HAS_TASK_ENTRY) && defined(__x86_64__)
#define TASK_REGISTERS fn, data, copy, bytes, alignment, is_deferred
void task_enter(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
                bool is_deferred);
#elif defined(HAS_TASK_ENTRY)
#define TASK_REGISTERS fn, data, copy, bytes, alignment, is_deferred, flags, dependences
void task_enter(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
                bool is_deferred, unsigned flags, void **dependences);
#else
#define TASK_REGISTERS TASK_ARGUMENTS, __builtin_return_address(0)
#define task_enter task_go_on
void task_enter(TASK_PARAMETERS, const void *code);
#endif

#endif
