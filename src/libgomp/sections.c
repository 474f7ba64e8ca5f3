/* sections, single and scope. */
#include "libgomp/barrier.h"
#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/work.h"

/* 0: none is left. */
static unsigned section(struct omp_call call, unsigned number) {
  if (number)
    DELIVER(dispatch, parallel_of(call.thread), &implicit_of(call.thread)->task.data, OMPT_DISPATCH_section,
            (ompt_data_t){.ptr = (void *)(uintptr_t)call.code});
  return number;
}

unsigned GOMP_sections_start(unsigned count) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_sections_start(count);
  work_begin(call.thread, call.code, OMPT_WORK_sections, count, 1);
  return section(call, call.library->GOMP_sections_start(count));
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_sections2_start(count, reductions, memory);
  work_begin(call.thread, call.code, OMPT_WORK_sections, count, 1);
  return section(call, call.library->GOMP_sections2_start(count, reductions, memory));
}

unsigned GOMP_sections_next(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_sections_next();
  return section(call, call.library->GOMP_sections_next());
}

void GOMP_sections_end(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_sections_end();
  work_end(call.thread);
  workshare_barrier_begin(call);
  call.library->GOMP_sections_end();
  workshare_barrier_end(call);
}

bool GOMP_sections_end_cancel(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_sections_end_cancel();
  work_end(call.thread);
  workshare_barrier_begin(call);
  bool is_cancelled = call.library->GOMP_sections_end_cancel();
  workshare_barrier_end(call);
  return is_cancelled;
}

void GOMP_sections_end_nowait(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_sections_end_nowait();
  call.library->GOMP_sections_end_nowait();
  work_end(call.thread);
}

/* -- single -- */

static inline void begin_single(struct omp_call call, bool is_executor) {
  work_begin_single(call.thread, call.code, is_executor ? OMPT_WORK_single_executor : OMPT_WORK_single_other);
  if (!is_executor)
    work_end(call.thread);
}

bool GOMP_single_start(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_single_start();
  bool is_executor = call.library->GOMP_single_start();
  begin_single(call, is_executor);
  return is_executor;
}

/* In place of libgomp's function, which does not show beforehand which threads wait in it: all but the one
 * that executes the region. Outside of regions nobody waits. */
void *GOMP_single_copy_start(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced || !implicit_of(call.thread)->team)
    return call.library->GOMP_single_copy_start();
  bool is_executor = call.library->GOMP_single_start();
  begin_single(call, is_executor);
  if (is_executor)
    return NULL;
  wait_begin(call, OMPT_SYNC_REGION_barrier_implementation);
  call.library->GOMP_barrier();
  wait_end(call, OMPT_SYNC_REGION_barrier_implementation);
  return implicit_of(call.thread)->team->single_data;
}

void GOMP_single_copy_end(void *data) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced || !implicit_of(call.thread)->team)
    return call.library->GOMP_single_copy_end(data);
  work_end(call.thread);
  implicit_of(call.thread)->team->single_data = data;
  wait_begin(call, OMPT_SYNC_REGION_barrier_implementation);
  call.library->GOMP_barrier();
  wait_end(call, OMPT_SYNC_REGION_barrier_implementation);
}

/* -- scope: only one with reductions of tasks can be seen -- */

void GOMP_scope_start(uintptr_t *reductions) {
  struct omp_call call = CALL_ENTER();
  if (call.is_traced)
    work_begin_single(call.thread, call.code, OMPT_WORK_scope);
  return call.library->GOMP_scope_start(reductions);
}

/* The barrier at the end of a worksharing region with reductions of tasks. */
void GOMP_workshare_task_reduction_unregister(bool is_cancelled) {
  struct omp_call call = CALL_ENTER();
  const struct library *library = call.library;
  if (call.is_traced)
    work_leave_single(call.thread);
  if (!call.is_traced || is_cancelled)
    return library->GOMP_workshare_task_reduction_unregister(is_cancelled);
  workshare_barrier_begin(call);
  library->GOMP_workshare_task_reduction_unregister(is_cancelled);
  workshare_barrier_end(call);
}
