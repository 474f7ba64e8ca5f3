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

/* What it is made of; while its creator's call lasts. */
struct usual_source {
  void (*function)(void *);
  const void *code;
  uint32_t flags;
  void *data;
  size_t bytes;
  void (*copy)(void *, void *);
};

static void copy_usual(void *to, void *from) {
  struct usual_block *block = to;
  const struct usual_source *source = from;
  task_init(&block->task, source->flags);
  block->function = source->function;
  block->code = source->code;
  task_copy_data(block->data, source->data, source->bytes, source->copy);
  struct omp_task *creator = thread_self.task;
  DELIVER(task_create, &creator->data, &creator->frame, &block->task.data, (int)source->flags, 0,
          source->code);
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

static inline bool is_usual(const struct omp_thread *thread, long alignment, bool is_deferred,
                            unsigned flags) {
  const struct omp_task *creator = thread->task;
  return !library_can_cancel(thread->library) && is_deferred &&
         !(flags & (GOMP_FINAL | GOMP_DEPEND | GOMP_DETACH)) &&
         alignment <= (long)_Alignof(struct usual_block) && !(creator->flags & OMPT_TASK_final) &&
         creator->implicit->team;
}

APART static void create_usual(TASK_PARAMETERS) {
  struct omp_call call = call_inside(&thread_self, __builtin_return_address(0));
  (void)alignment, (void)is_deferred, (void)dependences, (void)detach;
  struct usual_source source = {fn, call.code, task_flags(&call, flags), data, (size_t)bytes, copy};
  task_frame_enter(call);
  call.library->GOMP_task(run_usual, &source, copy_usual, (long)sizeof(struct usual_block) + bytes,
                          _Alignof(struct usual_block), true, flags, NULL, priority, NULL);
  task_frame_leave(call);
}

/* Nothing is called before libgomp's function, so that the arguments stay where they are. */
void GOMP_task(TASK_PARAMETERS) {
  const struct omp_thread *thread = &thread_self;
  if (UNLIKELY(!call_is_usual(thread, __builtin_return_address(0)) ||
               !is_usual(thread, alignment, is_deferred, flags)))
    return task_create_unusual(TASK_ARGUMENTS);
  return create_usual(TASK_ARGUMENTS);
}
