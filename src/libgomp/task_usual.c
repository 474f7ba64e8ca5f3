/* The tasks that most are, since each costs the program what is written here: deferred, if libgomp's queue is
 * not full, without dependences, event or unusual alignment, where nothing is cancelled. */
#include "libgomp/exports.h"
#include "libgomp/tasks.h"

/* In front of the task's own data, in the block that libgomp keeps for it. */
struct usual_block {
  struct omp_task task;
  void (*function)(void *);
  const void *code;
  uint32_t state; /* of the thread that runs it, before */
  _Alignas(16) char data[];
};

/* The program's function that copies may create tasks itself. */
static void copy_usual(void *to, void *from) {
  struct usual_block *block = to;
  const struct task_source *source = from;
  const void *code = source->code;
  uint32_t flags = source->flags;
  task_init(&block->task, flags);
  block->function = source->call.function;
  block->code = code;
  task_copy_data(block->data, source->call.data, source->bytes, source->copy);
  struct omp_task *creator = thread_self.task;
  DELIVER(task_create, &creator->data, &creator->frame, &block->task.data, (int)flags, 0, code);
}

/* The tool is called in functions of their own, which save what they need and have returned while the task
 * runs: where libgomp's queue is full tasks run within their creators, as deep as the stack goes. */
APART static struct usual_block *begin_usual(void *data, void *frame) {
  struct usual_block *block = data;
  struct omp_thread *thread = &thread_self;
  block->state = thread->state;
  task_begin_in(thread, &block->task, block->code, frame);
  return block;
}

APART static void end_usual(void) {
  struct omp_thread *thread = &thread_self;
  struct usual_block *block = (struct usual_block *)thread->task;
  thread->state = block->state;
  task_end(thread, &block->task, task_status(&block->task));
}

static void run_usual(void *data) {
  struct usual_block *block = begin_usual(data, __builtin_frame_address(0));
  block->function(block->data);
  return end_usual();
}

static inline bool may_be_deferred(const struct omp_task *creator) {
  return !(creator->flags & OMPT_TASK_final) && creator->implicit->team;
}

static inline bool is_usual(const struct omp_thread *thread, long alignment, bool is_deferred,
                            unsigned flags) {
  return is_deferred && !(flags & (GOMP_FINAL | GOMP_DEPEND | GOMP_DETACH)) &&
         alignment <= (long)_Alignof(struct usual_block) && !library_can_cancel(thread->library) &&
         may_be_deferred(thread->task);
}

/* The creator goes on after its call. */
APART static void leave(const void *code) {
  struct omp_thread *thread = &thread_self;
  thread->task->frame.enter_frame.ptr = NULL;
  thread->code = code;
}

/* What is handed over on the stack is not kept in registers, which would have to be saved there first. */
#ifdef __x86_64__
#define READ_ANEW() __asm__("" : : : "memory")
#else
#define READ_ANEW() (void)0
#endif

/* It may be on the stack while the task runs: there is little more of it than libgomp's own arguments. */
void GOMP_task(TASK_PARAMETERS) {
  struct omp_thread *thread = &thread_self;
  if (UNLIKELY(!call_is_usual(thread, __builtin_return_address(0)) ||
               !is_usual(thread, alignment, is_deferred, flags)))
    return task_enter(TASK_REGISTERS);
  READ_ANEW();
  thread->source = (struct task_source){
      {fn, data}, copy, __builtin_return_address(0), (size_t)bytes, task_flags(thread, flags)};
  thread->task->frame.enter_frame.ptr = __builtin_frame_address(0);
  thread->library->GOMP_task(run_usual, &thread->source, copy_usual, (long)sizeof(struct usual_block) + bytes,
                             _Alignof(struct usual_block), true, flags, dependences, priority, detach);
  return leave(__builtin_return_address(0));
}
