/* Tasks that libgomp runs within the call that creates them. Each may create the next one, as deep as the
 * stack goes: what is on it while one runs is its identity and two frames that save no register, since what
 * calls the tool is in functions of its own, which have returned by then. */
#include "libgomp/dependences.h"
#include "libgomp/exports.h"
#include "libgomp/tasks.h"

/* -- running -- */

static struct task_call begin(struct omp_thread *thread, struct omp_task *task, const void *code,
                              void *frame) {
  struct task_call call = thread->at_once;
  task_begin_in(thread, task, code, frame);
  return call;
}

/* The tool has heard of it. */
APART static struct task_call begin_announced(struct omp_task *task, void *frame) {
  struct omp_thread *thread = &thread_self;
  return begin(thread, task, thread->code, frame);
}

static void deliver_create(struct omp_task *task, bool has_dependences, const void *code) {
  struct omp_task *creator = thread_self.task;
  DELIVER(task_create, &creator->data, &creator->frame, &task->data, (int)task->flags, has_dependences, code);
}

APART static struct task_call begin_new(struct omp_task *task, void *frame) {
  struct omp_thread *thread = &thread_self;
  const void *code = thread->code;
  deliver_create(task, false, code);
  return begin(thread, task, code, frame);
}

APART static void end(void) {
  struct omp_thread *thread = &thread_self;
  task_end(thread, thread->task, task_status(thread->task));
}

/* Nothing has come between its creation and this, if it is run at all. */
static void run_new(void *task) {
  struct task_call call = begin_new(task, __builtin_frame_address(0));
  call.function(call.data);
  return end();
}

static void run_announced(void *task) {
  struct task_call call = begin_announced(task, __builtin_frame_address(0));
  call.function(call.data);
  return end();
}

/* -- creating -- */

APART static void leave(const void *code) {
  task_frame_leave(call_inside(&thread_self, code));
}

static void task_init_at_once(struct omp_task *task, const struct omp_call *call, unsigned flags) {
  task_init(task, task_flags(call, flags) | OMPT_TASK_undeferred);
}

/* Nothing of it is copied: libgomp needs neither its size nor how. */
APART static void create_in_place(TASK_PARAMETERS) {
  struct omp_call call = call_inside(&thread_self, __builtin_return_address(0));
  (void)copy, (void)bytes, (void)alignment, (void)is_deferred, (void)dependences, (void)detach;
  struct omp_task task;
  task_init_at_once(&task, &call, flags);
  call.thread->at_once = (struct task_call){fn, data};
  task_frame_enter(call);
  call.library->GOMP_task(run_new, &task, NULL, 0, 1, false, flags, NULL, priority, NULL);
  leave(__builtin_return_address(0));
}

/* Other tasks may run here, until the dependences are met: as in libgomp's GOMP_task. */
APART static void announce(struct omp_task *task, void **dependences, const void *code) {
  struct omp_thread *thread = &thread_self;
  deliver_create(task, dependences != NULL, code);
  if (!dependences)
    return;
  dependences_deliver(&task->data, dependences);
  thread->library->GOMP_taskwait_depend(dependences);
  thread->code = code;
}

APART static void create_after_others(TASK_PARAMETERS) {
  struct omp_call call = call_inside(&thread_self, __builtin_return_address(0));
  (void)copy, (void)bytes, (void)alignment, (void)is_deferred, (void)detach;
  struct omp_task task;
  task_init_at_once(&task, &call, flags);
  task_frame_enter(call);
  announce(&task, dependences, call.code);
  thread_self.at_once = (struct task_call){fn, data};
  thread_self.library->GOMP_task(run_announced, &task, NULL, 0, 1, false, flags & ~(unsigned)GOMP_DEPEND,
                                 NULL, priority, NULL);
  leave(__builtin_return_address(0));
}

/* -- those whose data a function copies -- */

/* While its creator's call lasts. */
struct original {
  struct omp_task task;
  void (*function)(void *);
  void *data;
  void (*copy)(void *, void *);
};

/* What libgomp keeps. */
struct copied {
  struct original *original;
  _Alignas(16) char data[];
};

/* The copying is the creator's, who may come to other tasks in it. */
static void copy_at_once(void *to, void *from) {
  struct copied *copied = to;
  struct original *original = from;
  copied->original = original;
  original->copy(copied->data, original->data);
  thread_self.at_once = (struct task_call){original->function, copied->data};
}

static void run_copied(void *copied) {
  return run_announced(&((struct copied *)copied)->original->task);
}

APART static void create_copied(TASK_PARAMETERS) {
  struct omp_call call = call_inside(&thread_self, __builtin_return_address(0));
  (void)alignment, (void)is_deferred, (void)detach;
  struct original original = {.function = fn, .data = data, .copy = copy};
  task_init_at_once(&original.task, &call, flags);
  task_frame_enter(call);
  announce(&original.task, flags & GOMP_DEPEND ? dependences : NULL, call.code);
  thread_self.library->GOMP_task(run_copied, &original, copy_at_once, bytes + (long)sizeof(struct copied),
                                 _Alignof(struct copied), false, flags & ~(unsigned)GOMP_DEPEND, NULL,
                                 priority, NULL);
  leave(__builtin_return_address(0));
}

/* -- which it is -- */

typedef void (*create_t)(TASK_PARAMETERS);

static create_t choose_at_once(bool has_copy, long alignment, unsigned flags) {
  if (flags & GOMP_DETACH || (has_copy && alignment > (long)_Alignof(struct copied)))
    return task_create_any;
  if (has_copy)
    return create_copied;
  return flags & GOMP_DEPEND ? create_after_others : create_in_place;
}

APART static create_t choose(const void *code, bool has_copy, long alignment, bool is_deferred,
                             unsigned flags) {
  struct omp_call call = call_enter(code);
  if (!call.is_traced)
    return call.library->GOMP_task;
  return task_is_undeferred(&call, is_deferred) ? choose_at_once(has_copy, alignment, flags)
                                                : task_create_any;
}

/* Nothing of this function is on the stack while the chosen one lasts. */
void task_create_unusual(TASK_PARAMETERS) {
  create_t create = choose(__builtin_return_address(0), copy != NULL, alignment, is_deferred, flags);
  return create(TASK_ARGUMENTS);
}
