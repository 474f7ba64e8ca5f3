/* Tasks that libgomp runs within the call that creates them. Each may create the next one, as deep as the
 * stack goes: so what is known of one is in the thread's arena, libgomp's function is jumped to with the
 * program's own return address, and what is on the stack while the task runs is one frame that saves no
 * register. What calls the tool is in functions of its own, which have returned by then. */
#include "libgomp/dependences.h"
#include "libgomp/exports.h"
#include "libgomp/tasks.h"

struct task_at_once {
  struct omp_task task; /* first: a thread's task leads to it */
  struct function_call call;
  void (*copy)(void *, void *); /* NULL: the function gets the creator's data */
  const void *code;
  bool is_announced; /* the tool has heard of it */
};

/* -- running -- */

static void deliver_create(struct omp_task *task, void **dependences, const void *code) {
  struct omp_task *creator = thread_self.task;
  DELIVER(task_create, &creator->data, &creator->frame, &task->data, (int)task->flags, dependences != NULL,
          code);
  if (dependences)
    dependences_deliver(&task->data, dependences);
}

APART static struct function_call begin(struct task_at_once *task, void *data, void *frame) {
  if (!task->is_announced)
    deliver_create(&task->task, NULL, task->code);
  task_begin_in(&thread_self, &task->task, task->code, frame);
  return (struct function_call){task->call.function, data};
}

/* The creator goes on. */
static void leave(struct omp_thread *thread, struct task_at_once *task) {
  thread->task->frame.enter_frame.ptr = NULL;
  thread->code = task->code;
  arena_give(&thread->arena, ARENA_TASKS, task);
}

APART static void end(void) {
  struct omp_thread *thread = &thread_self;
  struct omp_task *task = thread->task;
  task_end(thread, task, task_status(task));
  if (task->is_at_once)
    leave(thread, (struct task_at_once *)task);
}

static void run_in_place(void *given) {
  struct task_at_once *task = given;
  struct function_call call = begin(task, task->call.data, __builtin_frame_address(0));
  call.function(call.data);
  return end();
}

static void run_copied(void *data) {
  struct function_call call = begin(thread_self.copied, data, __builtin_frame_address(0));
  call.function(call.data);
  return end();
}

/* The copying is the creator's, who may come to other tasks in it. */
static void copy_at_once(void *to, void *from) {
  struct task_at_once *task = from;
  task->copy(to, task->call.data);
  thread_self.copied = task;
}

/* -- creating -- */

typedef void (*create_t)(TASK_PARAMETERS);

/* What is called in place of the program's call. `task` NULL: with its arguments. */
struct choice {
  create_t create;
  struct task_at_once *task;
};

/* libgomp discards it where it is in what has been cancelled. */
APART static void create_or_discard(TASK_PARAMETERS) {
  struct omp_thread *thread = &thread_self;
  struct task_at_once *task = data;
  struct omp_task *creator = thread->task;
  thread->library->GOMP_task(TASK_ARGUMENTS);
  if (creator->frame.enter_frame.ptr)
    leave(thread, task);
}

static struct choice prepare(struct omp_call call, struct function_call function,
                             void (*copy)(void *, void *), unsigned flags, void **dependences, void *frame) {
  struct omp_thread *thread = call.thread;
  struct task_at_once *task = arena_get(&thread->arena, ARENA_TASKS, sizeof *task);
  if (!task)
    return (struct choice){task_create_any, NULL};
  dependences = flags & GOMP_DEPEND ? dependences : NULL;
  task_init(&task->task, task_flags(call.thread, flags) | OMPT_TASK_undeferred);
  task->task.is_at_once = true;
  task->call = function;
  task->copy = copy;
  task->code = call.code;
  task->is_announced = dependences || copy;
  thread->task->frame.enter_frame.ptr = frame;
  if (task->is_announced)
    deliver_create(&task->task, dependences, call.code);
  return (struct choice){library_can_cancel(call.library) ? create_or_discard : call.library->GOMP_task,
                         task};
}

APART static struct choice choose(struct function_call function, void (*copy)(void *, void *),
                                  bool is_deferred, unsigned flags, void **dependences, const void *code,
                                  void *frame) {
  struct omp_call call = call_enter(code);
  if (!call.is_traced)
    return (struct choice){call.library->GOMP_task, NULL};
  if (flags & GOMP_DETACH || !task_is_undeferred(&call, is_deferred))
    return (struct choice){task_create_any, NULL};
  return prepare(call, function, copy, flags, dependences, frame);
}

/* Nothing of this function is on the stack while the chosen one lasts: what it was given there stays. Not all
 * compilers jump to it: who has called is known from GOMP_task. */
void task_create_unusual(TASK_PARAMETERS) {
  struct choice choice = choose((struct function_call){fn, data}, copy, is_deferred, flags, dependences,
                                thread_self.entered, __builtin_frame_address(0));
  if (!choice.task)
    return choice.create(TASK_ARGUMENTS);
  return choice.create(copy ? run_copied : run_in_place, choice.task, copy ? copy_at_once : NULL, bytes,
                       alignment, false, flags, dependences, priority, detach);
}
