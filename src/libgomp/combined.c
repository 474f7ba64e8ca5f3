/* Parallel regions that begin with a worksharing region, in one call. */
#include "libgomp/exports.h"
#include "libgomp/parallel.h"
#include "libgomp/work.h"

#define FUNCTION void (*fn)(void *), void *data, unsigned threads

#define COMBINED(name, parameters, arguments, kind_, count_, step_)                                          \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    struct omp_team team = {.function = fn, .argument = data};                                               \
    if (!call.is_traced)                                                                                     \
      return library->name arguments;                                                                        \
    team.work = (struct work){.kind = kind_, .count = count_, .step = step_};                                \
    parallel_begin(call, &team, threads);                                                                    \
    fn = parallel_member;                                                                                    \
    data = &team;                                                                                            \
    library->name arguments;                                                                                 \
    parallel_end(call, &team);                                                                               \
  }

#define COUNT work_count(start, end, step)
#define LOOP(schedule, kind)                                                                                 \
  COMBINED(GOMP_parallel_loop_##schedule,                                                                    \
           (FUNCTION, long start, long end, long step, long chunk, unsigned flags),                          \
           (fn, data, threads, start, end, step, chunk, flags), OMPT_WORK_loop_##kind, COUNT, step)
#define LOOP_RUNTIME(schedule)                                                                               \
  COMBINED(GOMP_parallel_loop_##schedule, (FUNCTION, long start, long end, long step, unsigned flags),       \
           (fn, data, threads, start, end, step, flags), work_kind_of_runtime(library), COUNT, step)

LOOP(static, static)
LOOP(dynamic, dynamic)
LOOP(guided, guided)
LOOP(nonmonotonic_dynamic, dynamic)
LOOP(nonmonotonic_guided, guided)
LOOP_RUNTIME(runtime)
LOOP_RUNTIME(nonmonotonic_runtime)
LOOP_RUNTIME(maybe_nonmonotonic_runtime)
COMBINED(GOMP_parallel_sections, (FUNCTION, unsigned count, unsigned flags),
         (fn, data, threads, count, flags), OMPT_WORK_sections, count, 1)
