#include "libgomp/taskloop.h"

#include "libgomp/exports.h"
#include "libgomp/runtime.h"
#include "libgomp/tasks.h"
#include "libgomp/work.h"

static void begin(struct omp_call call, struct taskloop *loop) {
  ompt_data_t *task = &call.thread->task->data, *parallel = parallel_of(call.thread);
  loop->outer = call.thread->taskloop;
  call.thread->taskloop = loop;
  if (loop->waits)
    DELIVER(sync_region, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_begin, parallel, task, loop->code);
  DELIVER(work, OMPT_WORK_taskloop, OMPT_SCOPE_begin, parallel, task, loop->count, loop->code);
}

void taskloop_has_created(struct omp_thread *thread) {
  struct taskloop *loop = thread->taskloop;
  if (!loop)
    return;
  thread->taskloop = NULL;
  ompt_data_t *task = &thread->task->data, *parallel = parallel_of(thread);
  DELIVER(work, OMPT_WORK_taskloop, OMPT_SCOPE_end, parallel, task, loop->count, loop->code);
  if (!loop->waits)
    return;
  thread->state = OMPT_STATE_wait_taskgroup;
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_begin, parallel, task, loop->code);
}

static void end(struct omp_call call, struct taskloop *loop) {
  struct omp_thread *thread = call.thread;
  ompt_data_t *task = &thread->task->data, *parallel = parallel_of(thread);
  if (thread->taskloop == loop)
    taskloop_has_created(thread);
  thread->taskloop = loop->outer;
  thread->state = thread->work_state;
  if (!loop->waits)
    return;
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_end, parallel, task, loop->code);
  DELIVER(sync_region, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_end, parallel, task, loop->code);
}

#define FUNCTION                                                                                             \
  void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, unsigned flags,  \
      unsigned long tasks, int priority

/* libgomp always copies here. It reads where reductions are from the third word of the data. */
static struct task_block prepare(struct omp_call call, FUNCTION, int64_t step) {
  (void)tasks, (void)priority;
  bool is_undeferred = task_is_undeferred(&call, flags & GOMP_IF);
  return (struct task_block){.words[2] = flags & GOMP_REDUCTION ? ((void **)data)[2] : NULL,
                             .function = fn,
                             .copy = copy,
                             .data = data,
                             .bytes = (size_t)bytes,
                             .offset = task_block_offset(&alignment),
                             .code = call.code,
                             .task.flags =
                                 task_flags(&call, flags) | (is_undeferred ? OMPT_TASK_undeferred : 0),
                             .gomp_flags = flags,
                             .is_loops = true,
                             .step = step};
}

#define TASKLOOP(name, type, is_empty, distance)                                                             \
  void name(FUNCTION, type start, type end_, type step) {                                                    \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.thread->library;                                                    \
    if (!call.thread->is_traced)                                                                             \
      return library->name(fn, data, copy, bytes, alignment, flags, tasks, priority, start, end_, step);     \
    int64_t width = (int64_t)step;                                                                           \
    struct taskloop loop = {                                                                                 \
        .code = call.code,                                                                                   \
        .count = is_empty ? 0 : work_iterations(distance, (uint64_t)(width > 0 ? width : -width)),           \
        .waits = !(flags & GOMP_NOGROUP)};                                                                   \
    struct task_block block =                                                                                \
        prepare(call, fn, data, copy, bytes, alignment, flags, tasks, priority, width);                      \
    task_block_offset(&alignment);                                                                           \
    begin(call, &loop);                                                                                      \
    task_frame_enter(call);                                                                                  \
    library->name(task_block_run, &block, task_block_copy, (long)block.offset + bytes, alignment, flags,     \
                  tasks, priority, start, end_, step);                                                       \
    task_frame_leave(call);                                                                                  \
    end(call, &loop);                                                                                        \
  }

#define IS_UP (width > 0)
#define DISTANCE (IS_UP ? (uint64_t)end_ - (uint64_t)start : (uint64_t)start - (uint64_t)end_)
TASKLOOP(GOMP_taskloop, long, (IS_UP ? end_ <= start : end_ >= start), DISTANCE)

#undef IS_UP
/* The direction of an unsigned loop is a flag of its own (GOMP_TASK_FLAG_UP). */
#define IS_UP (flags & GOMP_UP)
TASKLOOP(GOMP_taskloop_ull, unsigned long long, (IS_UP ? end_ <= start : end_ >= start), DISTANCE)
