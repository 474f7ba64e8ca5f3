/* Regions in which a thread waits for others. All is inline, so that the kind of each is known where it is
 * delivered. */
#ifndef STAVE_LIBGOMP_BARRIER_H
#define STAVE_LIBGOMP_BARRIER_H

#include "libgomp/callbacks.h"
#include "libgomp/thread.h"

static inline ompt_state_t wait_state(ompt_sync_region_t kind) {
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

/* Around libgomp's own function: the region `kind` and its waiting. Explicit tasks may run in between. */
static inline __attribute__((always_inline)) void wait_begin(struct omp_call call, ompt_sync_region_t kind) {
  struct omp_task *task = call.thread->task;
  ompt_data_t *parallel = parallel_of(call.thread);
  task->frame.enter_frame.ptr = __builtin_frame_address(0);
  call.thread->state = wait_state(kind);
  DELIVER(sync_region, kind, OMPT_SCOPE_begin, parallel, &task->data, call.code);
  DELIVER(sync_region_wait, kind, OMPT_SCOPE_begin, parallel, &task->data, call.code);
}

static inline __attribute__((always_inline)) void wait_end(struct omp_call call, ompt_sync_region_t kind) {
  struct omp_task *task = call.thread->task;
  ompt_data_t *parallel = parallel_of(call.thread);
  DELIVER(sync_region_wait, kind, OMPT_SCOPE_end, parallel, &task->data, call.code);
  DELIVER(sync_region, kind, OMPT_SCOPE_end, parallel, &task->data, call.code);
  call.thread->state = call.thread->work_state;
  call.thread->code = call.code;
  task->frame.enter_frame.ptr = NULL;
}

/* The barrier at the end of a worksharing region. */
static inline void workshare_barrier_begin(struct omp_call call) {
  wait_begin(call, OMPT_SYNC_REGION_barrier_implicit_workshare);
}

static inline void workshare_barrier_end(struct omp_call call) {
  wait_end(call, OMPT_SYNC_REGION_barrier_implicit_workshare);
}

#endif
