#include "libgomp/taskloop.h"

#include <string.h>
#include <sys/mman.h>

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

static void begin_waiting(struct omp_thread *thread, struct taskloop *loop) {
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
    begin_waiting(thread, loop);
}

static void end(struct omp_call call, struct taskloop *loop) {
  struct omp_thread *thread = call.thread;
  ompt_data_t *task = &thread->task->data, *parallel = parallel_of(thread);
  if (thread->taskloop == loop)
    begin_waiting(thread, loop);
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

/* It reads where reductions are from the third word of the data. */
static struct task_block prepare(struct omp_call call, FUNCTION, int64_t step) {
  (void)tasks, (void)priority;
  return (struct task_block){.words[2] = flags & GOMP_REDUCTION ? ((void **)data)[2] : NULL,
                             .function = fn,
                             .copy = copy,
                             .data = data,
                             .bytes = (size_t)bytes,
                             .offset = task_block_offset(&alignment),
                             .code = call.code,
                             .task.flags = task_flags(&call, flags),
                             .traits = TASK_OF_LOOP,
                             .step = step};
}

/* -- how libgomp runs the tasks --
 *
 * One after the other within the call, where it must, and where they are too many for its queue. If they have
 * a function that copies, it has the blocks of all on its stack then: so they get none where the program gave
 * none. Their creation is what their run shows. */

enum { QUEUE_PER_THREAD = 64, STACK_BYTES = 256 << 10, OF_LIBGOMP = 512, ON_STACK = 2048 };

/* At least; libgomp may make one more. */
static uint64_t tasks_of(struct omp_call call, const struct taskloop *loop, unsigned flags,
                         unsigned long tasks) {
  if (flags & GOMP_GRAINSIZE)
    return tasks > 1 ? loop->count / tasks : loop->count;
  if (tasks == 0)
    tasks = implicit_of(call.thread)->size;
  return tasks < loop->count ? tasks : loop->count;
}

static void choose(struct omp_call call, struct taskloop *loop, struct task_block *block, unsigned flags,
                   unsigned long tasks) {
  uint64_t count = tasks_of(call, loop, flags, tasks);
  uint64_t bytes = block->offset + block->bytes + OF_LIBGOMP;
  bool is_undeferred = task_is_undeferred(&call, flags & GOMP_IF);
  loop->runs_at_once = is_undeferred || count > (uint64_t)QUEUE_PER_THREAD * implicit_of(call.thread)->size;
  if (loop->runs_at_once || (!block->copy && count > STACK_BYTES / bytes))
    block->traits |= TASK_LATE;
  if (loop->runs_at_once)
    block->task.flags |= OMPT_TASK_undeferred;
}

/* The block with its data, as libgomp copies both itself if it has to. NULL: there is no memory. */
static struct task_block *join(const struct task_block *block, void *few) {
  size_t bytes = block->offset + block->bytes;
  struct task_block *all = few;
  if (bytes > ON_STACK)
    all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return NULL;
  *all = *block;
  all->traits |= TASK_IN_PLACE;
  all->home = all;
  memcpy((char *)all + block->offset, block->data, block->bytes);
  return all;
}

static void forget(struct task_block *all) {
  size_t bytes = all->offset + all->bytes;
  if (bytes > ON_STACK)
    munmap(all, bytes);
}

#define TASKLOOP(name, type, count_)                                                                         \
  void name(FUNCTION, type start, type end_, type step) {                                                    \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    if (!call.is_traced)                                                                                     \
      return library->name(fn, data, copy, bytes, alignment, flags, tasks, priority, start, end_, step);     \
    _Alignas(16) char few[ON_STACK];                                                                         \
    struct taskloop loop = {.code = call.code, .count = count_, .waits = !(flags & GOMP_NOGROUP)};           \
    struct task_block block =                                                                                \
        prepare(call, fn, data, copy, bytes, alignment, flags, tasks, priority, (int64_t)step);              \
    task_block_offset(&alignment);                                                                           \
    choose(call, &loop, &block, flags, tasks);                                                               \
    struct task_block *all = block.traits & TASK_LATE && !copy ? join(&block, few) : NULL;                   \
    begin(call, &loop);                                                                                      \
    task_frame_enter(call);                                                                                  \
    library->name(task_block_runner(library, copy || block.traits & TASK_LATE, flags), all ? all : &block,   \
                  all ? NULL : task_block_copy, (long)block.offset + bytes, alignment, flags, tasks,         \
                  priority, start, end_, step);                                                              \
    task_frame_leave(call);                                                                                  \
    end(call, &loop);                                                                                        \
    if (all)                                                                                                 \
      forget(all);                                                                                           \
  }

TASKLOOP(GOMP_taskloop, long, work_count(start, end_, step))
TASKLOOP(GOMP_taskloop_ull, unsigned long long, work_count_ull(flags &GOMP_UP, start, end_, step))
