#include "libgomp/tasks.h"

#include <string.h>

#include "libgomp/dependences.h"
#include "libgomp/detached.h"
#include "libgomp/exports.h"
#include "libgomp/runtime.h"
#include "libgomp/taskloop.h"

/* -- blocks -- */

size_t task_block_offset(long *alignment) {
  enum { MIN = 16 };
  size_t whole = *alignment > MIN ? (size_t)*alignment : MIN;
  *alignment = (long)whole;
  return (sizeof(struct task_block) + whole - 1) / whole * whole;
}

static void *data_of(struct task_block *block) {
  return block->in_place == block ? block->data : (char *)block + block->offset;
}

/* The event of a detachable task has been written to the header; the program looks for it in its own data. */
static void hand_over_event(const struct task_block *block) {
  if (block->gomp_flags & GOMP_DETACH && block->data && block->words[0])
    *(void **)block->data = block->words[0];
}

static void deliver_create(struct task_block *home) {
  struct omp_task *creator = thread_self.task;
  DELIVER(task_create, &creator->data, &creator->frame, &home->task.data, (int)home->task.flags,
          home->dependences != NULL, home->code);
  if (home->dependences)
    dependences_deliver(&home->task.data, home->dependences);
}

void task_block_copy(void *to, void *from) {
  struct task_block *copy = to, *block = from;
  hand_over_event(block);
  *copy = *block;
  if (block->copy)
    block->copy((char *)to + block->offset, block->data);
  else
    memcpy((char *)to + block->offset, block->data, block->bytes);
  if (!block->home) {
    copy->home = copy;
    if (!block->is_created_late)
      deliver_create(copy);
  }
  detached_begin(copy->home, block->words[0]);
}

/* -- running -- */

static void hand_over_bounds(struct task_block *block) {
  uint64_t first, last;
  memcpy(data_of(block), block->words, 2 * sizeof *block->words);
  memcpy(&first, &block->words[0], sizeof first);
  memcpy(&last, &block->words[1], sizeof last);
  uint64_t width = block->step > 0 ? (uint64_t)block->step : -(uint64_t)block->step;
  uint64_t distance = block->step > 0 ? last - first : first - last;
  ompt_dispatch_chunk_t chunk = {first, width ? (distance + width - 1) / width : 0};
  DELIVER(dispatch, parallel_of(&thread_self), &block->home->task.data, OMPT_DISPATCH_taskloop_chunk,
          (ompt_data_t){.ptr = &chunk});
}

/* libgomp never moves a task that has begun to another thread, so a thread's tasks are a stack. */
static void begin(struct omp_thread *thread, struct task_block *home) {
  struct omp_task *prior = thread->task, *task = &home->task;
  taskloop_has_created(thread);
  task->outer = prior;
  task->implicit = prior->implicit;
  task->frame.exit_frame.ptr = __builtin_frame_address(0);
  task->frame.exit_frame_flags = OMPT_FRAME_runtime | OMPT_FRAME_framepointer;
  thread->task = task;
  thread->code = home->code;
  thread->state = thread->work_state;
  DELIVER(task_schedule, &prior->data, OMPT_TASK_STATUS_switch, &task->data);
}

static ompt_task_status_t status_at_end(struct task_block *home) {
  if (detached_end(home))
    return OMPT_TASK_STATUS_detach;
  return home->task.is_cancelled ? OMPT_TASK_STATUS_cancel : OMPT_TASK_STATUS_complete;
}

static void end(struct omp_thread *thread, struct task_block *home, uint32_t state) {
  struct omp_task *outer = home->task.outer;
  thread->task = outer;
  thread->state = state;
  DELIVER(task_schedule, &home->task.data, status_at_end(home), &outer->data);
}

/* libgomp may run the creator's block itself, for one task after the other. */
static void create_late(struct task_block *block) {
  block->home = block;
  block->task.data = (ompt_data_t){0};
  deliver_create(block);
}

void task_block_run(void *data) {
  struct task_block *block = data;
  struct omp_thread *thread = &thread_self;
  uint32_t state = thread->state;
  if (block->is_created_late) {
    create_late(block);
  } else if (block->in_place == block) {
    hand_over_event(block);
    detached_begin(block, block->words[0]);
  }
  begin(thread, block->home);
  if (block->is_loops)
    hand_over_bounds(block);
  block->function(data_of(block));
  end(thread, block->home, state);
}

/* -- creating -- */

uint32_t task_flags(const struct omp_call *call, unsigned gomp_flags) {
  uint32_t flags = OMPT_TASK_explicit;
  if (gomp_flags & GOMP_UNTIED)
    flags |= OMPT_TASK_untied;
  if (gomp_flags & GOMP_FINAL || call->thread->task->flags & OMPT_TASK_final)
    flags |= OMPT_TASK_final;
  if (gomp_flags & GOMP_MERGEABLE)
    flags |= OMPT_TASK_mergeable;
  return flags;
}

bool task_is_undeferred(const struct omp_call *call, bool is_deferred) {
  const struct implicit *implicit = implicit_of(call->thread);
  return !is_deferred || call->thread->task->flags & OMPT_TASK_final ||
         (!implicit->team && !implicit->has_target_tasks);
}

void task_frame_enter(struct omp_call call) {
  ompt_frame_t *frame = &call.thread->task->frame;
  frame->enter_frame.ptr = __builtin_frame_address(0);
  frame->enter_frame_flags = OMPT_FRAME_runtime | OMPT_FRAME_framepointer;
}

void task_frame_leave(struct omp_call call) {
  call.thread->task->frame.enter_frame.ptr = NULL;
  call.thread->code = call.code;
}

/* An undeferred task lives in this frame: it ends before the call does. */
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
               bool is_deferred, unsigned flags, void **dependences, int priority, void *detach) {
  struct omp_call call = CALL_ENTER();
  const struct library *library = call.thread->library;
  if (!call.thread->is_traced)
    return library->GOMP_task(fn, data, copy, bytes, alignment, is_deferred, flags, dependences, priority,
                              detach);
  bool is_undeferred = task_is_undeferred(&call, is_deferred);
  struct task_block block = {.home = is_undeferred ? &block : NULL,
                             .function = fn,
                             .copy = copy,
                             .data = data,
                             .dependences = flags & GOMP_DEPEND ? dependences : NULL,
                             .bytes = (size_t)bytes,
                             .offset = task_block_offset(&alignment),
                             .code = call.code,
                             .task.flags =
                                 task_flags(&call, flags) | (is_undeferred ? OMPT_TASK_undeferred : 0),
                             .gomp_flags = flags,
                             .in_place = is_undeferred && !copy ? &block : NULL};
  task_frame_enter(call);
  if (is_undeferred)
    deliver_create(&block);
  library->GOMP_task(task_block_runner(library, copy || block.in_place, flags), &block,
                     block.in_place ? NULL : task_block_copy, (long)block.offset + bytes, alignment,
                     is_deferred, flags, dependences, priority, detach);
  task_frame_leave(call);
}
