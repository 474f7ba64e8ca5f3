/* Tasks that libgomp runs within the call that creates them. Each may create the next one, as deep as the
 * stack goes. So what is known of one is in the thread's arena, and libgomp's function is jumped to with the
 * program's own return address. On the stack, while the task runs, is one frame that saves no register. What
 * calls the tool is in functions of its own, which have returned by then. */
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

/* libgomp discards it where it is in what has been cancelled. */
APART static void create_or_discard(TASK_PARAMETERS) {
  struct omp_thread *thread = &thread_self;
  struct task_at_once *task = data;
  struct omp_task *creator = thread->task;
  thread->library->GOMP_task(TASK_ARGUMENTS);
  if (creator->frame.enter_frame.ptr)
    leave(thread, task);
}

static void describe(struct task_at_once *task, const struct task_call *given, uint32_t flags) {
  task_init(&task->task, flags | OMPT_TASK_undeferred);
  task->task.is_at_once = true;
  task->call = given->function;
  task->copy = given->copy;
  task->code = given->code;
}

/* What libgomp gets of the task. */
static void replace(struct task_call *given, struct task_at_once *task) {
  given->function = (struct function_call){given->copy ? run_copied : run_in_place, task};
  given->copy = given->copy ? copy_at_once : NULL;
  given->is_deferred = false;
}

static create_t prepare(struct omp_call call, struct task_call *given, void *frame) {
  struct omp_thread *thread = call.thread;
  struct task_at_once *task = arena_get(&thread->arena, ARENA_TASKS, sizeof *task);
  if (!task)
    return task_create_any;
  void **dependences = given->flags & GOMP_DEPEND ? given->dependences : NULL;
  describe(task, given, task_flags(thread, given->flags));
  task->is_announced = dependences || given->copy;
  thread->task->frame.enter_frame.ptr = frame;
  if (task->is_announced)
    deliver_create(&task->task, dependences, call.code);
  replace(given, task);
  return library_can_cancel(call.library) ? create_or_discard : call.library->GOMP_task;
}

create_t task_choose(struct task_call *given, void *frame) {
  struct omp_call call = call_enter(given->code);
  if (!call.is_traced)
    return call.library->GOMP_task;
  if (given->flags & GOMP_DETACH || !task_is_undeferred(&call, given->is_deferred))
    return task_create_any;
  return prepare(call, given, frame);
}

/* -- from GOMP_task's first look at a call to what goes on with it --
 *
 * A jump, with the program's return address and stack as they are. In C it would store what is on the stack
 * once more, in the places of ten parameters: where the program handed over fewer, over variables of its own,
 * which another thread may have written meanwhile. */

#ifdef HAS_TASK_ENTRY

#define BEGIN                                                                                                \
  ".text\n.p2align 4\n.hidden task_enter\n.globl task_enter\n.type task_enter, %function\ntask_enter:\n"
#define END "  .cfi_endproc\n.size task_enter, . - task_enter\n"

/* In the order of struct task_call, in the middle of which are the frame and the return address. */
#if defined(__x86_64__)
__asm__(BEGIN "  .cfi_startproc\n"
              "  push %rbp\n  .cfi_def_cfa_offset 16\n  .cfi_offset %rbp, -16\n"
              "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
              "  push %r9\n  push %r8\n  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n"
              "  mov %rsp, %rdi\n  mov %rbp, %rsi\n"
              "  call task_choose\n"
              "  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %r8\n  pop %r9\n"
              "  pop %rbp\n  .cfi_def_cfa %rsp, 8\n  .cfi_restore %rbp\n"
              "  jmp *%rax\n" END);
#elif defined(__aarch64__)
__asm__(BEGIN
        "  .cfi_startproc\n"
        "  sub sp, sp, #80\n  .cfi_def_cfa_offset 80\n"
        "  stp x29, x30, [sp, #48]\n  .cfi_offset x29, -32\n  .cfi_offset x30, -24\n"
        "  stp x0, x1, [sp]\n  stp x2, x3, [sp, #16]\n  stp x4, x5, [sp, #32]\n  stp x6, x7, [sp, #64]\n"
        "  add x29, sp, #48\n  mov x0, sp\n  mov x1, x29\n"
        "  bl task_choose\n"
        "  mov x16, x0\n"
        "  ldp x0, x1, [sp]\n  ldp x2, x3, [sp, #16]\n  ldp x4, x5, [sp, #32]\n  ldp x6, x7, [sp, #64]\n"
        "  ldp x29, x30, [sp, #48]\n  .cfi_restore x29\n  .cfi_restore x30\n"
        "  add sp, sp, #80\n  .cfi_def_cfa_offset 0\n"
        "  br x16\n" END);
#endif

_Static_assert(offsetof(struct task_call, outer_frame) == 6 * sizeof(void *), "task_call: the registers");
_Static_assert(offsetof(struct task_call, flags) == 8 * sizeof(void *), "task_call: the caller's stack");
_Static_assert(sizeof(struct task_call) == 10 * sizeof(void *), "task_call: dependences");

#else

void task_enter(TASK_PARAMETERS, const void *code) {
  struct task_call call = {.function = {fn, data},
                           .copy = copy,
                           .bytes = bytes,
                           .alignment = alignment,
                           .is_deferred = is_deferred,
                           .code = code,
                           .flags = flags,
                           .dependences = dependences};
  void (*create)(TASK_PARAMETERS) = task_choose(&call, __builtin_frame_address(0));
  create(call.function.function, call.function.data, call.copy, bytes, alignment, call.is_deferred, flags,
         dependences, priority, detach);
}

#endif
