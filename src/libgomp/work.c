#include "libgomp/work.h"

#include "libgomp/runtime.h"

void work_begin(struct omp_call call, struct work work) {
  struct implicit *implicit = implicit_of(call.thread);
  work_end_single(call);
  work.code = call.code;
  implicit->work = work;
  DELIVER(work, work.kind, OMPT_SCOPE_begin, parallel_of(call.thread), &implicit->task.data, work.count,
          call.code);
}

void work_end(struct omp_call call) {
  struct implicit *implicit = implicit_of(call.thread);
  ompt_work_t kind = implicit->work.kind;
  if (!kind)
    return;
  implicit->work.kind = 0;
  DELIVER(work, kind, OMPT_SCOPE_end, parallel_of(call.thread), &implicit->task.data, implicit->work.count,
          implicit->work.code);
}

bool work_end_single(struct omp_call call) {
  ompt_work_t kind = implicit_of(call.thread)->work.kind;
  bool is_open = kind == OMPT_WORK_single_executor || kind == OMPT_WORK_scope;
  if (is_open)
    work_end(call);
  return is_open;
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
