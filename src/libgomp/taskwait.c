/* Regions in which a task waits for others. */
#include "libgomp/barrier.h"
#include "libgomp/callbacks.h"
#include "libgomp/dependences.h"
#include "libgomp/exports.h"
#include "libgomp/tasks.h"

void GOMP_taskwait(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_taskwait();
  wait_begin(call, OMPT_SYNC_REGION_taskwait);
  call.library->GOMP_taskwait();
  wait_end(call, OMPT_SYNC_REGION_taskwait);
}

/* As if a task with these dependences was created and run immediately. */
void GOMP_taskwait_depend(void **dependences) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_taskwait_depend(dependences);
  struct omp_task *task = call.thread->task;
  ompt_data_t data = {0};
  const uint32_t flags = OMPT_TASK_taskwait | OMPT_TASK_undeferred | OMPT_TASK_mergeable;
  task_frame_enter(call);
  DELIVER(task_create, &task->data, &task->frame, &data, (int)flags, 1, call.code);
  dependences_deliver(&data, dependences);
  call.thread->state = OMPT_STATE_wait_taskwait;
  call.library->GOMP_taskwait_depend(dependences);
  call.thread->state = call.thread->work_state;
  DELIVER(task_schedule, &data, OMPT_TASK_STATUS_taskwait_complete, NULL);
  task_frame_leave(call);
}

void GOMP_taskgroup_start(void) {
  struct omp_call call = CALL_ENTER();
  if (call.is_traced)
    DELIVER(sync_region, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_begin, parallel_of(call.thread),
            &call.thread->task->data, call.code);
  return call.library->GOMP_taskgroup_start();
}

void GOMP_taskgroup_end(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_taskgroup_end();
  ompt_data_t *task = &call.thread->task->data, *parallel = parallel_of(call.thread);
  task_frame_enter(call);
  call.thread->state = OMPT_STATE_wait_taskgroup;
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_begin, parallel, task, call.code);
  call.library->GOMP_taskgroup_end();
  DELIVER(sync_region_wait, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_end, parallel, task, call.code);
  DELIVER(sync_region, OMPT_SYNC_REGION_taskgroup, OMPT_SCOPE_end, parallel, task, call.code);
  call.thread->state = call.thread->work_state;
  task_frame_leave(call);
}
