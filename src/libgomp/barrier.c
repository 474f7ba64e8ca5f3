#include "libgomp/barrier.h"

#include "libgomp/exports.h"
#include "libgomp/work.h"

/* The end of single calls the same functions; libgomp cannot distinguish the end of a static loop from a
 * barrier. */
static bool ends_single(struct omp_call call) {
  return UNLIKELY(implicit_of(call.thread)->is_after_single);
}

static __attribute__((noinline)) void barrier_of_single(struct omp_thread *thread, const void *code) {
  struct omp_call call = call_inside(thread, code);
  work_leave_single(thread);
  workshare_barrier_begin(call);
  call.library->GOMP_barrier();
  workshare_barrier_end(call);
}

void GOMP_barrier(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_barrier();
  if (ends_single(call))
    return barrier_of_single(call.thread, call.code);
  wait_begin(call, OMPT_SYNC_REGION_barrier_explicit);
  call.library->GOMP_barrier();
  wait_end(call, OMPT_SYNC_REGION_barrier_explicit);
}

static __attribute__((noinline)) bool barrier_cancel_of_single(struct omp_thread *thread, const void *code) {
  struct omp_call call = call_inside(thread, code);
  work_leave_single(thread);
  workshare_barrier_begin(call);
  bool is_cancelled = call.library->GOMP_barrier_cancel();
  workshare_barrier_end(call);
  return is_cancelled;
}

bool GOMP_barrier_cancel(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_barrier_cancel();
  if (ends_single(call))
    return barrier_cancel_of_single(call.thread, call.code);
  wait_begin(call, OMPT_SYNC_REGION_barrier_explicit);
  bool is_cancelled = call.library->GOMP_barrier_cancel();
  wait_end(call, OMPT_SYNC_REGION_barrier_explicit);
  return is_cancelled;
}
