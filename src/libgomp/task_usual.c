/* The tasks that most are, since each costs the program what is written here: deferred, if libgomp's queue is
 * not full, without dependences, event or unusual alignment, where nothing is cancelled. */
#include "libgomp/exports.h"
#include "libgomp/tasks.h"

/* In front of the task's own data, in the block that libgomp keeps for it. */
struct usual_block {
  struct omp_task task;
  void (*function)(void *);
  const void *code;
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

static void run_usual(void *data) {
  struct usual_block *block = data;
  struct omp_thread *thread = &thread_self;
  uint32_t state = thread->state;
  task_begin(thread, &block->task, block->code);
  block->function(block->data);
  thread->state = state;
  task_end(thread, &block->task, task_status(&block->task));
}

static inline bool is_usual(const struct omp_thread *thread, long alignment, bool is_deferred,
                            unsigned flags) {
  const struct omp_task *creator = thread->task;
  return !library_can_cancel(thread->library) && is_deferred &&
         !(flags & (GOMP_FINAL | GOMP_DEPEND | GOMP_DETACH)) &&
         alignment <= (long)_Alignof(struct usual_block) && !(creator->flags & OMPT_TASK_final) &&
         creator->implicit->team;
}

/* Nothing is called before libgomp's function, so that the arguments stay where they are. */
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
               bool is_deferred, unsigned flags, void **dependences, int priority, void *detach) {
  struct omp_thread *thread = &thread_self;
  const void *code = __builtin_return_address(0);
  if (UNLIKELY(!call_is_usual(thread, code) || !is_usual(thread, alignment, is_deferred, flags)))
    return task_create_any(fn, data, copy, bytes, alignment, is_deferred, flags, dependences, priority,
                           detach);
  struct omp_call call = call_inside(thread, code);
  struct usual_source source = {fn, code, task_flags(&call, flags), data, (size_t)bytes, copy};
  task_frame_enter(call);
  call.library->GOMP_task(run_usual, &source, copy_usual, (long)sizeof(struct usual_block) + bytes,
                          _Alignof(struct usual_block), true, flags, NULL, priority, NULL);
  task_frame_leave(call);
}
