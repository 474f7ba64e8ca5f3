/* Cancellation. Tasks that libgomp itself discards cannot be seen. */
#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/parallel.h"
#include "libgomp/tasks.h"
#include "libgomp/work.h"

static uint32_t flag_of(int which) {
  switch (which) {
  case GOMP_CANCEL_PARALLEL:
    return OMPT_CANCEL_parallel;
  case GOMP_CANCEL_LOOP:
    return OMPT_CANCEL_loop;
  case GOMP_CANCEL_SECTIONS:
    return OMPT_CANCEL_sections;
  default:
    return OMPT_CANCEL_taskgroup;
  }
}

static void deliver(struct omp_call call, int which, uint32_t how) {
  if (which == GOMP_CANCEL_LOOP || which == GOMP_CANCEL_SECTIONS)
    work_forget(call.thread);
  if (which == GOMP_CANCEL_TASKGROUP)
    call.thread->task->is_cancelled = true;
  DELIVER(cancel, &call.thread->task->data, (int)(flag_of(which) | how), call.code);
}

bool GOMP_cancel(int which, bool is_active) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_cancel(which, is_active);
  bool is_cancelled = call.library->GOMP_cancel(which, is_active);
  if (is_cancelled)
    deliver(call, which, is_active ? OMPT_CANCEL_activated : OMPT_CANCEL_detected);
  return is_cancelled;
}

bool GOMP_cancellation_point(int which) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_cancellation_point(which);
  bool is_cancelled = call.library->GOMP_cancellation_point(which);
  if (is_cancelled)
    deliver(call, which, OMPT_CANCEL_detected);
  return is_cancelled;
}
