#include "libgomp/barrier.h"

#include "libgomp/exports.h"
#include "libgomp/runtime.h"
#include "libgomp/work.h"

static uint32_t state_in(ompt_sync_region_t kind) {
  switch (kind) {
  case OMPT_SYNC_REGION_taskwait:
    return OMPT_STATE_wait_taskwait;
  case OMPT_SYNC_REGION_taskgroup:
    return OMPT_STATE_wait_taskgroup;
  case OMPT_SYNC_REGION_barrier_implicit_workshare:
    return OMPT_STATE_wait_barrier_implicit_workshare;
  default:
    return OMPT_STATE_wait_barrier_explicit;
  }
}

void wait_begin(struct omp_call call, ompt_sync_region_t kind) {
  struct omp_task *task = call.thread->task;
  ompt_data_t *parallel = parallel_of(call.thread);
  task->frame.enter_frame.ptr = __builtin_frame_address(0);
  task->frame.enter_frame_flags = OMPT_FRAME_runtime | OMPT_FRAME_framepointer;
  call.thread->state = state_in(kind);
  DELIVER(sync_region, kind, OMPT_SCOPE_begin, parallel, &task->data, call.code);
  DELIVER(sync_region_wait, kind, OMPT_SCOPE_begin, parallel, &task->data, call.code);
}

void wait_end(struct omp_call call, ompt_sync_region_t kind) {
  struct omp_task *task = call.thread->task;
  ompt_data_t *parallel = parallel_of(call.thread);
  DELIVER(sync_region_wait, kind, OMPT_SCOPE_end, parallel, &task->data, call.code);
  DELIVER(sync_region, kind, OMPT_SCOPE_end, parallel, &task->data, call.code);
  call.thread->state = call.thread->work_state;
  call.thread->code = call.code;
  task->frame.enter_frame.ptr = NULL;
}

/* The end of single calls this function, too; libgomp cannot tell the end of a static loop from a barrier. */
static ompt_sync_region_t kind_of(struct omp_call call) {
  struct implicit *implicit = implicit_of(call.thread);
  bool ends_single = work_end_single(call) || implicit->has_left_single;
  implicit->has_left_single = false;
  return ends_single ? OMPT_SYNC_REGION_barrier_implicit_workshare : OMPT_SYNC_REGION_barrier_explicit;
}

void GOMP_barrier(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.thread->is_traced)
    return call.thread->library->GOMP_barrier();
  ompt_sync_region_t kind = kind_of(call);
  wait_begin(call, kind);
  call.thread->library->GOMP_barrier();
  wait_end(call, kind);
}

bool GOMP_barrier_cancel(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.thread->is_traced)
    return call.thread->library->GOMP_barrier_cancel();
  ompt_sync_region_t kind = kind_of(call);
  wait_begin(call, kind);
  bool is_cancelled = call.thread->library->GOMP_barrier_cancel();
  wait_end(call, kind);
  return is_cancelled;
}
