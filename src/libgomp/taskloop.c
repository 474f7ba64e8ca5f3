#include "libgomp/taskloop.h"

#include <string.h>
#include <sys/mman.h>

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
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

static void end(struct omp_call call, struct taskloop *loop) {
  struct omp_thread *thread = call.thread;
  ompt_data_t *task = &thread->task->data, *parallel = parallel_of(thread);
  if (thread->taskloop == loop)
    taskloop_begin_waiting(thread, loop);
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
                             .task.flags = task_flags(call.thread, flags),
                             .traits = TASK_OF_LOOP,
                             .step = step};
}

/* -- how libgomp runs the tasks --
 *
 * One after the other within the call, where it must, and where they are too many for its queue. If they have
 * a function that copies, it has the blocks of all on its stack then: so they get none where the program gave
 * none. Their creation is what their run shows. */

enum { QUEUE_PER_THREAD = 64, STACK_BYTES = 256 << 10, OF_LIBGOMP = 512, IN_ARENA = 1024 };

/* While the call lasts: not on the stack, where taskloops may be in tasks of taskloops. */
struct taskloop_call {
  struct taskloop loop;
  struct task_block block;
  struct task_block *all; /* the block with its data; NULL: libgomp copies them to each task */
  void (*run)(void *);
  _Alignas(16) char few[IN_ARENA];
};

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

/* libgomp copies the block with its data itself, if it has to. Nothing, if there is no memory. */
static void join(struct taskloop_call *made) {
  const struct task_block *block = &made->block;
  size_t bytes = block->offset + block->bytes;
  struct task_block *all = (struct task_block *)made->few;
  if (bytes > sizeof made->few)
    all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return;
  *all = *block;
  all->traits |= TASK_IN_PLACE;
  all->home = all;
  memcpy((char *)all + block->offset, block->data, block->bytes);
  made->all = all;
}

static void forget(struct omp_thread *thread, struct taskloop_call *made) {
  struct task_block *all = made->all;
  if (all && (char *)all != made->few)
    munmap(all, all->offset + all->bytes);
  arena_give(&thread->arena, ARENA_TASKLOOPS, made);
}

/* What libgomp is given of the program's call is in it when this has returned. */
APART static struct taskloop_call *enter(FUNCTION, uint64_t count, int64_t step, void *frame) {
  struct omp_thread *thread = &thread_self;
  struct omp_call call = call_inside(thread, thread->code);
  struct taskloop_call *made = arena_get(&thread->arena, ARENA_TASKLOOPS, sizeof *made);
  struct task_block *block = &made->block;
  made->all = NULL;
  made->loop = (struct taskloop){.code = call.code, .count = count, .waits = !(flags & GOMP_NOGROUP)};
  *block = prepare(call, fn, data, copy, bytes, alignment, flags, tasks, priority, step);
  choose(call, &made->loop, block, flags, tasks);
  made->run = task_block_runner(call.library, copy || block->traits & TASK_LATE, flags);
  if (block->traits & TASK_LATE && !copy)
    join(made);
  begin(call, &made->loop);
  thread->task->frame.enter_frame.ptr = frame;
  return made;
}

APART static void leave(struct taskloop_call *made) {
  struct omp_thread *thread = &thread_self;
  struct omp_call call = call_inside(thread, made->loop.code);
  task_frame_leave(call);
  end(call, &made->loop);
  forget(thread, made);
}

#define TASKLOOP(name, type, count)                                                                          \
  void name(FUNCTION, type start, type end_, type step) {                                                    \
    struct omp_call call = CALL_ENTER();                                                                     \
    if (!call.is_traced || !arena_has(&call.thread->arena, ARENA_TASKLOOPS, sizeof(struct taskloop_call)))   \
      return call.library->name(fn, data, copy, bytes, alignment, flags, tasks, priority, start, end_,       \
                                step);                                                                       \
    struct taskloop_call *made = enter(fn, data, copy, bytes, alignment, flags, tasks, priority, count,      \
                                       (int64_t)step, __builtin_frame_address(0));                           \
    bool is_joined = made->all != NULL;                                                                      \
    struct task_block *block = is_joined ? made->all : &made->block;                                         \
    bytes += (long)task_block_offset(&alignment);                                                            \
    thread_self.library->name(made->run, block, is_joined ? NULL : task_block_copy, bytes, alignment, flags, \
                              tasks, priority, start, end_, step);                                           \
    return leave(made);                                                                                      \
  }

TASKLOOP(GOMP_taskloop, long, work_count(start, end_, step))
TASKLOOP(GOMP_taskloop_ull, unsigned long long, work_count_ull(flags &GOMP_UP, start, end_, step))
