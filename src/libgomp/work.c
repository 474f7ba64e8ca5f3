#include "libgomp/work.h"

#include "libgomp/callbacks.h"

void work_begin(struct omp_thread *thread, const void *code, ompt_work_t kind, uint64_t count, int64_t step) {
  struct implicit *implicit = implicit_of(thread);
  work_leave_single(thread);
  implicit->work = (struct work){kind, count, step, code};
  DELIVER(work, kind, OMPT_SCOPE_begin, implicit->parallel, &implicit->task.data, count, code);
}

void work_begin_single(struct omp_thread *thread, const void *code, ompt_work_t kind) {
  work_begin(thread, code, kind, 1, 0);
  implicit_of(thread)->is_after_single = true;
}

void work_end(struct omp_thread *thread) {
  struct implicit *implicit = implicit_of(thread);
  ompt_work_t kind = implicit->work.kind;
  thread->unit_loop = NULL;
  if (!kind)
    return;
  implicit->work.kind = 0;
  DELIVER(work, kind, OMPT_SCOPE_end, implicit->parallel, &implicit->task.data, implicit->work.count,
          implicit->work.code);
}

void work_forget(struct omp_thread *thread) {
  implicit_of(thread)->work.kind = 0;
  thread->unit_loop = NULL;
}

void work_leave_single(struct omp_thread *thread) {
  struct implicit *implicit = implicit_of(thread);
  ompt_work_t kind = implicit->work.kind;
  implicit->is_after_single = false;
  if (kind == OMPT_WORK_single_executor || kind == OMPT_WORK_scope)
    work_end(thread);
}

ompt_work_t work_kind_of(const struct library *library, long schedule) {
  enum { RUNTIME, STATIC, DYNAMIC, GUIDED };
  switch (schedule & 7) {
  case RUNTIME:
    return work_kind_of_runtime(library);
  case STATIC:
    return OMPT_WORK_loop_static;
  case DYNAMIC:
    return OMPT_WORK_loop_dynamic;
  case GUIDED:
    return OMPT_WORK_loop_guided;
  default:
    return OMPT_WORK_loop_other;
  }
}

ompt_work_t work_kind_of_runtime(const struct library *library) {
  int kind = 0, chunk = 0;
  library->omp_get_schedule(&kind, &chunk);
  return (kind & 7) == 0 ? OMPT_WORK_loop_other : work_kind_of(library, kind);
}
