/* What is known of each thread: its tasks, and which libgomp its calls mean. */
#ifndef STAVE_LIBGOMP_THREAD_H
#define STAVE_LIBGOMP_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libgomp/arena.h"
#include "libgomp/library.h"
#include "ompt/types.h"

/* A function that is on the stack while a task runs leaves all calls of the tool to others, so that it saves
 * no register there. */
#define APART __attribute__((noinline))

struct omp_team;
struct implicit;

/* A worksharing region. */
struct work {
  ompt_work_t kind; /* 0: none */
  uint64_t count;   /* iterations, sections */
  int64_t step;     /* of a loop */
  const void *code;
};

/* A task while it runs on a thread, or is suspended there under another one. */
struct omp_task {
  ompt_data_t data;
  ompt_frame_t frame;
  struct omp_task *outer;    /* which goes on when this one ends */
  struct implicit *implicit; /* in whose region it is */
  uint32_t flags;            /* OMPT_TASK_... */
  bool is_cancelled;         /* it leaves a cancelled taskgroup */
  bool is_at_once;           /* it is the begin of a struct task_at_once */
};

/* Before the task has run or created anything. Frames are given by their frame pointers. */
static inline void task_init(struct omp_task *task, uint32_t flags) {
  const int how = OMPT_FRAME_runtime | OMPT_FRAME_framepointer;
  task->data = (ompt_data_t){0};
  task->frame.exit_frame.ptr = task->frame.enter_frame.ptr = NULL;
  task->frame.exit_frame_flags = task->frame.enter_frame_flags = how;
  task->flags = flags;
  task->is_cancelled = task->is_at_once = false;
}

/* An implicit or initial task. */
struct implicit {
  struct omp_task task;
  struct omp_team *team; /* NULL: it is an initial task */
  ompt_data_t *parallel; /* the team's */
  unsigned size, index;
  const void *code; /* of the region */
  struct work work;
  void *first, *last; /* where the program needs a chunk's bounds, while libgomp hands out one */
  ompt_dispatch_chunk_t chunk;
  unsigned loop_dimensions; /* of a doacross loop */
  bool has_target_tasks;    /* libgomp has made a team of one for them, which defers others, too */
  bool is_after_single;     /* or scope, the end of which is not seen: the next barrier is its */
};

/* A parallel region or a league, while it lasts. Its members read it only before they reach its end. */
struct omp_team {
  void *first;               /* libgomp reads it where the region has reductions of tasks: as in `argument` */
  unsigned requested, flags; /* what libgomp is given */
  ompt_data_t data;
  const void *code; /* after the call in the program */
  void (*function)(void *);
  void *argument;
  const struct library *library;
  struct caller_range callers; /* around `code`, whose calls mean `library` */
  struct omp_thread *primary;  /* which has called */
  struct omp_task *outer;      /* in which it has */
  struct implicit member;      /* the primary thread's */
  struct work work;            /* with which each member of a combined construct begins */
  void *single_data;           /* that the executor of the last single hands to the others */
  bool is_started_apart;       /* in another call than it ends in */
  bool is_target_league;       /* of a target region that runs on the host */
  bool is_on_stack;            /* as there is no memory */
};

/* Target data regions, one in another, whose devices are kept. */
enum { DATA_DEVICES_MAX = 8 };

/* A function of the program, and what that is given. */
struct function_call {
  void (*function)(void *);
  void *data;
};

/* What a task is made of whose data libgomp copies: from here, before it does anything else. */
struct task_source {
  struct function_call call;
  void (*copy)(void *, void *);
  const void *code;
  size_t bytes;
  uint32_t flags;
};

struct omp_thread {
  struct caller_range callers; /* whose calls mean `library`, and are traced */
  const struct library *library;
  const struct library *pool;        /* whose worker it is; NULL: none's */
  struct caller_range other_callers; /* whose calls are passed on to `other` */
  const struct library *other;
  bool has_started;           /* there is a tool, which knows the thread */
  bool is_late;               /* the ends of `worker` have not been delivered */
  uint32_t state, work_state; /* ompt_state_t, while it waits and else */
  ompt_wait_id_t wait;
  const void *code;           /* of its last call that came from the program's code */
  struct omp_task *task;      /* that runs */
  struct implicit *unit_loop; /* whose chunks need nothing unusual: see loops.c. NULL: not known */
  struct taskloop *taskloop;
  struct task_source source;   /* of the task that it is creating: task_usual.c */
  struct task_at_once *copied; /* whose data libgomp has copied, and which it runs now */
  ompt_data_t data;
  struct implicit initial, worker;
  struct arena arena;
  unsigned data_depth;      /* target data regions around the thread */
  unsigned most_dimensions; /* of its doacross loops, traced or not */
  int data_devices[DATA_DEVICES_MAX];
};

extern __thread struct omp_thread thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A call of the program. One that is not traced is passed on, and has a library only. */
struct omp_call {
  struct omp_thread *thread;
  const void *code; /* after it */
  const struct library *library;
  bool is_traced;
};

/* Everything unusual: a thread's first call, one from another file, a jump in place of a call. */
struct omp_call call_enter_slow(const void *code) __attribute__((cold));

/* A traced one from a file that is known. */
static inline bool call_is_usual(const struct omp_thread *thread, const void *code) {
  return LIKELY(caller_range_has(&thread->callers, code));
}

static inline __attribute__((always_inline)) struct omp_call call_enter(const void *code) {
  struct omp_thread *thread = &thread_self;
  if (!call_is_usual(thread, code)) {
    /* Copied, so that clang keeps its members in registers. */
    struct omp_call call = call_enter_slow(code);
    return (struct omp_call){call.thread, call.code, call.library, call.is_traced};
  }
  thread->code = code;
  return (struct omp_call){thread, code, thread->library, true};
}

/* A call that represents one of the program's: what libgomp calls is in a region that begins at `code`. */
static inline struct omp_call call_inside(struct omp_thread *thread, const void *code) {
  return (struct omp_call){thread, code, thread->library, true};
}

/* What an exported function begins with. */
#define CALL_ENTER() call_enter(__builtin_return_address(0))

/* The thread, which is none of a team, comes to its first call that is traced. */
void thread_begin_initial(struct omp_thread *thread);

/* The calling thread, in which libgomp runs a member of `team`. */
struct omp_thread *thread_of_team(const struct omp_team *team);

/* Delivers what a worker has not been able to: the end of its last region's barrier. */
void thread_deliver_late_ends(struct omp_thread *thread);

/* The ends of the first thread, as the process exits. */
void thread_end_last(void);

/* Until what threads deliver as they end is complete; not for long, as this may be a signal's handler in the
 * end of a thread. After callbacks_forget: who comes to its end later finds no callbacks. */
void threads_wait_for_ends(void);

/* `task` runs on the thread, or has ended and `task` is the outer one. A tool may look at it in the handler
 * of a signal (inquiry.c): what is stored before is there then, and what has ended is there until here. */
static inline void thread_set_task(struct omp_thread *thread, struct omp_task *task) {
  atomic_signal_fence(memory_order_seq_cst);
  thread->task = task;
  atomic_signal_fence(memory_order_seq_cst);
}

/* The implicit or initial task runs on the thread, in place of `outer` until it has ended. */
static inline void implicit_enter(struct omp_thread *thread, struct implicit *implicit,
                                  struct omp_task *outer) {
  implicit->task.outer = outer;
  implicit->task.implicit = implicit;
  thread_set_task(thread, &implicit->task);
  thread->unit_loop = NULL;
}

static inline void implicit_leave(struct omp_thread *thread, const struct implicit *implicit) {
  thread_set_task(thread, implicit->task.outer);
  thread->unit_loop = NULL;
}

static inline struct implicit *implicit_of(const struct omp_thread *thread) {
  return thread->task->implicit;
}

static inline ompt_data_t *parallel_of(const struct omp_thread *thread) {
  return thread->task->implicit->parallel;
}

#endif
