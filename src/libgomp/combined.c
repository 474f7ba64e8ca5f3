/* Parallel regions that begin with a worksharing region, in one call. */
#include "libgomp/exports.h"
#include "libgomp/parallel.h"
#include "libgomp/work.h"

#define FUNCTION void (*fn)(void *), void *data, unsigned threads

static void begin(FUNCTION, struct work work, struct omp_team *team, void *frame) {
  struct omp_thread *thread = &thread_self;
  *team = (struct omp_team){.function = fn, .argument = data, .work = work};
  parallel_begin(call_inside(thread, thread->code), team, threads, frame);
}

/* So that nothing is on the stack while the region lasts but libgomp's arguments and where they were kept. */
APART static struct omp_team *enter(FUNCTION, ompt_work_t kind, uint64_t count, int64_t step, void *frame) {
  struct omp_team *team = team_get(&thread_self);
  begin(fn, data, threads, (struct work){.kind = kind, .count = count, .step = step}, team, frame);
  return team;
}

/* Without memory the region is on the stack: workers have to find it there, whatever that costs. */
#define COMBINED(name, parameters, arguments, kind_, count_, step_)                                          \
  APART static void name##_on_stack parameters {                                                             \
    const struct library *library = thread_self.library;                                                     \
    struct omp_team team;                                                                                    \
    begin(fn, data, threads, (struct work){.kind = kind_, .count = count_, .step = step_}, &team,            \
          __builtin_frame_address(0));                                                                       \
    team.is_on_stack = true;                                                                                 \
    data = &team;                                                                                            \
    fn = parallel_member;                                                                                    \
    library->name arguments;                                                                                 \
    parallel_leave();                                                                                        \
  }                                                                                                          \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    if (!call.is_traced)                                                                                     \
      return library->name arguments;                                                                        \
    if (!team_is_there(call.thread))                                                                         \
      return name##_on_stack arguments;                                                                      \
    data = enter(fn, data, threads, kind_, count_, step_, __builtin_frame_address(0));                       \
    fn = parallel_member;                                                                                    \
    ((struct omp_team *)data)->library->name arguments;                                                      \
    return parallel_leave();                                                                                 \
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
