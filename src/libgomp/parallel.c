#include "libgomp/parallel.h"

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/work.h"

static int flags_of(const struct omp_team *team) {
  return (int)(team->is_started_apart ? OMPT_PARALLEL_invoker_program : OMPT_PARALLEL_invoker_runtime) |
         (int)OMPT_PARALLEL_team;
}

/* -- members -- */

static void begin_member(struct omp_thread *thread, struct omp_team *team, struct implicit *implicit,
                         void *frame) {
  *implicit = (struct implicit){.team = team,
                                .parallel = &team->data,
                                .size = (unsigned)team->library->omp_get_num_threads(),
                                .index = (unsigned)team->library->omp_get_thread_num(),
                                .code = team->code};
  task_init(&implicit->task, OMPT_TASK_implicit);
  implicit_enter(thread, implicit, team->outer);
  implicit->task.frame.exit_frame.ptr = frame;
  thread->code = team->code;
  thread->state = thread->work_state = OMPT_STATE_work_parallel;
  DELIVER(implicit_task, OMPT_SCOPE_begin, &team->data, &implicit->task.data, implicit->size, implicit->index,
          OMPT_TASK_implicit);
  if (team->work.kind)
    work_begin(thread, team->code, team->work.kind, team->work.count, team->work.step);
}

static void begin_last_barrier(struct omp_thread *thread, struct implicit *implicit, struct omp_team *team) {
  ompt_data_t *task = &implicit->task.data;
  work_leave_single(thread);
  implicit->task.frame.exit_frame.ptr = NULL;
  thread->state = OMPT_STATE_wait_barrier_implicit_parallel;
  DELIVER(sync_region, OMPT_SYNC_REGION_barrier_implicit_parallel, OMPT_SCOPE_begin, &team->data, task,
          team->code);
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_barrier_implicit_parallel, OMPT_SCOPE_begin, &team->data, task,
          team->code);
}

/* A worker's thread does not see when the team ends: nothing of it is requested from here on. */
static void leave_team(struct implicit *implicit) {
  implicit->task.outer = NULL;
}

APART static struct function_call enter_team(struct omp_team *team, void *frame) {
  struct omp_thread *thread = thread_of_team(team);
  bool is_primary = thread == team->primary;
  if (!is_primary)
    thread_deliver_late_ends(thread);
  begin_member(thread, team, is_primary ? &team->member : &thread->worker, frame);
  return (struct function_call){team->function, team->argument};
}

/* Tasks may run on the thread until the barrier is complete, so its implicit task stays the current one. A
 * worker's is kept where it outlives the region: nobody comes back to it when that ends. */
APART static void come_to_end(void) {
  struct omp_thread *thread = &thread_self;
  struct implicit *implicit = implicit_of(thread);
  bool is_primary = implicit != &thread->worker;
  if (!implicit->team)
    return;
  if (!is_primary)
    leave_team(implicit);
  begin_last_barrier(thread, implicit, implicit->team);
  if (!is_primary) /* a primary one may be late itself: in a task of the region around */
    thread->is_late = true;
}

/* Regions may be one in another as deep as the stack goes: nothing is saved on it while the function runs. */
void parallel_member(void *team) {
  struct function_call call = enter_team(team, __builtin_frame_address(0));
  call.function(call.data);
  return come_to_end();
}

void parallel_begin_primary(struct omp_thread *thread, struct omp_team *team) {
  begin_member(thread, team, &team->member, __builtin_frame_address(0));
}

void parallel_end_primary(struct omp_thread *thread, struct omp_team *team) {
  begin_last_barrier(thread, &team->member, team);
}

/* -- the region -- */

void parallel_begin(struct omp_call call, struct omp_team *team, unsigned requested_threads, void *frame) {
  struct omp_task *task = call.thread->task;
  team->code = call.code;
  team->library = call.library;
  team->callers = call.thread->callers;
  team->primary = call.thread;
  team->outer = task;
  if (requested_threads == 0)
    requested_threads = (unsigned)team->library->omp_get_max_threads();
  task->frame.enter_frame.ptr = frame;
  DELIVER(parallel_begin, &task->data, &task->frame, &team->data, requested_threads, flags_of(team),
          call.code);
}

static void end_primary(struct omp_thread *thread, struct omp_team *team) {
  struct implicit *implicit = &team->member;
  ompt_data_t *task = &implicit->task.data;
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_barrier_implicit_parallel, OMPT_SCOPE_end, NULL, task,
          team->code);
  DELIVER(sync_region, OMPT_SYNC_REGION_barrier_implicit_parallel, OMPT_SCOPE_end, NULL, task, team->code);
  DELIVER(implicit_task, OMPT_SCOPE_end, NULL, task, 0, implicit->index, OMPT_TASK_implicit);
  implicit_leave(thread, implicit);
}

static uint32_t state_outside(const struct omp_thread *thread) {
  return implicit_of(thread)->team ? OMPT_STATE_work_parallel : OMPT_STATE_work_serial;
}

void parallel_end(struct omp_thread *thread, struct omp_team *team, const void *code) {
  end_primary(thread, team);
  thread->task->frame.enter_frame.ptr = NULL;
  thread->state = thread->work_state = state_outside(thread);
  thread->code = code;
  DELIVER(parallel_end, &team->data, &thread->task->data, flags_of(team), code);
  team_give(thread, team);
}

/* -- with a function alone -- */

#define FUNCTION void (*fn)(void *), void *data, unsigned threads, unsigned flags

APART static struct omp_team *enter(FUNCTION, void *frame) {
  struct omp_thread *thread = &thread_self;
  struct omp_team *team = team_get(thread);
  *team = (struct omp_team){.function = fn, .argument = data, .requested = threads, .flags = flags};
  parallel_begin(call_inside(thread, thread->code), team, threads, frame);
  return team;
}

void parallel_leave(void) {
  struct omp_thread *thread = &thread_self;
  struct omp_team *team = implicit_of(thread)->team;
  if (team)
    parallel_end(thread, team, team->code);
}

/* On the stack while the region lasts. */
APART static void run_region(FUNCTION) {
  const struct omp_team *team = enter(fn, data, threads, flags, __builtin_frame_address(0));
  team->library->GOMP_parallel(parallel_member, (void *)team, team->requested, team->flags);
  return parallel_leave();
}

/* Without memory the region is on the stack, where workers have to find it, whatever room it needs there. */
APART static void run_region_on_stack(FUNCTION) {
  struct omp_thread *thread = &thread_self;
  struct omp_team team = {.function = fn, .argument = data, .is_on_stack = true};
  parallel_begin(call_inside(thread, thread->code), &team, threads, __builtin_frame_address(0));
  team.library->GOMP_parallel(parallel_member, &team, threads, flags);
  parallel_end(thread, &team, team.code);
}

void GOMP_parallel(FUNCTION) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_parallel(fn, data, threads, flags);
  if (!team_is_there(call.thread))
    return run_region_on_stack(fn, data, threads, flags);
  return run_region(fn, data, threads, flags);
}

static unsigned run_reductions(struct omp_call call, struct omp_team *team, FUNCTION, void *frame) {
  team->first = *(void **)data;
  team->function = fn;
  team->argument = data;
  parallel_begin(call, team, threads, frame);
  unsigned count = team->library->GOMP_parallel_reductions(parallel_member, team, threads, flags);
  parallel_end(call.thread, team, call.code);
  return count;
}

APART static unsigned run_reductions_on_stack(struct omp_call call, FUNCTION, void *frame) {
  struct omp_team team = {.is_on_stack = true};
  return run_reductions(call, &team, fn, data, threads, flags, frame);
}

unsigned GOMP_parallel_reductions(FUNCTION) {
  struct omp_call call = CALL_ENTER();
  void *frame = __builtin_frame_address(0);
  if (!call.is_traced)
    return call.library->GOMP_parallel_reductions(fn, data, threads, flags);
  struct omp_team *team = team_get(call.thread);
  if (!team)
    return run_reductions_on_stack(call, fn, data, threads, flags, frame);
  *team = (struct omp_team){0};
  return run_reductions(call, team, fn, data, threads, flags, frame);
}
