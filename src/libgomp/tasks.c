#include "libgomp/tasks.h"

#include <string.h>

#include "libgomp/callbacks.h"
#include "libgomp/dependences.h"
#include "libgomp/detached.h"
#include "libgomp/exports.h"
#include "libgomp/taskloop.h"
#include "libgomp/work.h"

/* -- blocks -- */

static bool is_run_in_place(const struct task_block *block) {
  return block->traits & TASK_IN_PLACE && block->home == block;
}

static void *data_after(struct task_block *block) {
  return (char *)block + block->offset;
}

/* The event of a detachable task has been written to the header; the program looks for it in its own data. */
static void hand_over_event(const struct task_block *block) {
  if (block->data && block->words[0])
    *(void **)block->data = block->words[0];
}

static void deliver_create(struct omp_task *task, void **dependences, const void *code) {
  struct omp_task *creator = thread_self.task;
  DELIVER(task_create, &creator->data, &creator->frame, &task->data, (int)task->flags, dependences != NULL,
          code);
  if (dependences)
    dependences_deliver(&task->data, dependences);
}

void task_block_copy(void *to, void *from) {
  struct task_block *copy = to, *block = from;
  if (block->traits & TASK_DETACHED)
    hand_over_event(block);
  copy->home = block->traits & TASK_AT_HOME ? block : copy;
  task_init(&copy->task, block->task.flags);
  copy->function = block->function;
  copy->offset = block->offset;
  copy->code = block->code;
  copy->traits = block->traits;
  copy->step = block->step;
  task_copy_data(data_after(copy), block->data, block->bytes, block->copy);
  if (!(block->traits & (TASK_AT_HOME | TASK_LATE)))
    deliver_create(&copy->task, block->dependences, block->code);
  if (block->traits & TASK_DETACHED)
    detached_begin(copy->home, block->words[0]);
}

/* -- taskloops, whose creation is over when the first of their tasks begins -- */

void taskloop_begin_waiting(struct omp_thread *thread, struct taskloop *loop) {
  ompt_data_t *task = &thread->task->data, *parallel = parallel_of(thread);
  thread->taskloop = NULL;
  DELIVER(work, OMPT_WORK_taskloop, OMPT_SCOPE_end, parallel, task, loop->count, loop->code);
  if (!loop->waits)
    return;
  thread->state = OMPT_STATE_wait_taskgroup;
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_begin, parallel, task, loop->code);
}

void taskloop_has_created(struct omp_thread *thread) {
  struct taskloop *loop = thread->taskloop;
  if (loop && !loop->runs_at_once)
    taskloop_begin_waiting(thread, loop);
}

/* -- running -- */

static void hand_over_bounds(const struct task_block *block, void *data) {
  uint64_t first, last;
  memcpy(data, block->words, 2 * sizeof *block->words);
  memcpy(&first, &block->words[0], sizeof first);
  memcpy(&last, &block->words[1], sizeof last);
  ompt_dispatch_chunk_t chunk = work_chunk(first, last, block->step);
  DELIVER(dispatch, parallel_of(&thread_self), &block->home->task.data, OMPT_DISPATCH_taskloop_chunk,
          (ompt_data_t){.ptr = &chunk});
}

/* libgomp may run the creator's block itself, for one task after the other. */
static void create_late(struct task_block *block) {
  block->home = block;
  task_init(&block->task, block->task.flags);
  deliver_create(&block->task, NULL, block->code);
}

void task_block_run(void *given) {
  struct task_block *block = given;
  struct omp_thread *thread = &thread_self;
  uint32_t state = thread->state;
  bool is_in_place = is_run_in_place(block);
  void *data = is_in_place ? block->data : data_after(block);
  if (block->traits & TASK_LATE)
    create_late(block);
  struct task_block *home = block->home;
  if (is_in_place && block->traits & TASK_DETACHED) {
    hand_over_event(block);
    detached_begin(block, block->words[0]);
  }
  task_begin(thread, &home->task, block->code);
  if (block->traits & TASK_OF_LOOP)
    hand_over_bounds(block, data);
  block->function(data);
  thread->state = state;
  bool waits = block->traits & TASK_DETACHED && detached_end(home);
  task_end(thread, &home->task, waits ? OMPT_TASK_STATUS_detach : task_status(&home->task));
}

/* As libgomp decides it. This is within the task, as libgomp sees it. */
void task_block_discard_or_run(void *data) {
  struct task_block *block = data;
  struct omp_team *team = implicit_of(&thread_self)->team;
  const struct library *library = team ? team->library : thread_self.library;
  if (!library->GOMP_cancellation_point(GOMP_CANCEL_TASKGROUP))
    return task_block_run(data);
  uint32_t what =
      library->GOMP_cancellation_point(GOMP_CANCEL_PARALLEL) ? OMPT_CANCEL_parallel : OMPT_CANCEL_taskgroup;
  ompt_data_t *task = &block->home->task.data;
  DELIVER(cancel, task, (int)(what | OMPT_CANCEL_discarded_task), NULL);
  DELIVER(task_schedule, task, OMPT_TASK_STATUS_cancel, &thread_self.task->data);
}

/* -- creating -- */

bool task_is_undeferred(const struct omp_call *call, bool is_deferred) {
  const struct implicit *implicit = implicit_of(call->thread);
  return !is_deferred || call->thread->task->flags & OMPT_TASK_final ||
         (!implicit->team && !implicit->has_target_tasks);
}

/* An undeferred task lives in this frame: it ends before the call does. */
static void begin_undeferred(struct task_block *block) {
  block->traits |= block->copy ? TASK_AT_HOME : TASK_IN_PLACE;
  block->home = block;
  task_init(&block->task, block->task.flags | OMPT_TASK_undeferred);
  deliver_create(&block->task, block->dependences, block->code);
}

void task_create_any(TASK_PARAMETERS) {
  struct omp_call call = CALL_ENTER();
  struct task_block block;
  block.function = fn;
  block.copy = copy;
  block.data = data;
  block.dependences = flags & GOMP_DEPEND ? dependences : NULL;
  block.bytes = (size_t)bytes;
  block.offset = task_block_offset(&alignment);
  block.code = call.code;
  block.task.flags = task_flags(call.thread, flags);
  block.traits = flags & GOMP_DETACH ? TASK_DETACHED : 0;
  block.step = 0;
  task_frame_enter(call);
  if (task_is_undeferred(&call, is_deferred)) {
    begin_undeferred(&block);
    is_deferred &= (flags & GOMP_DETACH) != 0; /* the block is here only as long as the call lasts */
  }
  bool is_in_place = block.traits & TASK_IN_PLACE;
  call.library->GOMP_task(task_block_runner(call.library, copy || is_in_place, flags), &block,
                          is_in_place ? NULL : task_block_copy, (long)block.offset + bytes, alignment,
                          is_deferred, flags, dependences, priority, detach);
  task_frame_leave(call);
}
