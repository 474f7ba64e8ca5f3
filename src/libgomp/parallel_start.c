/* Regions of programs built by gcc 4.8 and before: they begin and end in two calls, between which the program
 * runs its outlined function itself in the primary thread. */
#include "libgomp/exports.h"
#include "libgomp/parallel.h"
#include "libgomp/work.h"

#define FUNCTION void (*fn)(void *), void *data, unsigned threads

#define BEGIN(name, parameters, arguments, ...)                                                              \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    struct omp_team *team = call.is_traced ? team_get(call.thread) : NULL;                                   \
    if (!team)                                                                                               \
      return library->name arguments;                                                                        \
    *team = (struct omp_team){.function = fn, .argument = data, .is_started_apart = true};                   \
    team->work = (struct work)__VA_ARGS__;                                                                   \
    parallel_begin(call, team, threads, __builtin_frame_address(0));                                         \
    fn = parallel_member;                                                                                    \
    data = team;                                                                                             \
    library->name arguments;                                                                                 \
    parallel_begin_primary(call.thread, team);                                                               \
  }

#define WORK(kind_)                                                                                          \
  { .kind = kind_, .count = work_count(start, end, step), .step = step }
#define LOOP(schedule)                                                                                       \
  BEGIN(GOMP_parallel_loop_##schedule##_start, (FUNCTION, long start, long end, long step, long chunk),      \
        (fn, data, threads, start, end, step, chunk), WORK(OMPT_WORK_loop_##schedule))

BEGIN(GOMP_parallel_start, (FUNCTION), (fn, data, threads), {0})
LOOP(static)
LOOP(dynamic)
LOOP(guided)
BEGIN(GOMP_parallel_loop_runtime_start, (FUNCTION, long start, long end, long step),
      (fn, data, threads, start, end, step), WORK(work_kind_of_runtime(library)))
BEGIN(GOMP_parallel_sections_start, (FUNCTION, unsigned count), (fn, data, threads, count),
      {.kind = OMPT_WORK_sections, .count = count})

void GOMP_parallel_end(void) {
  struct omp_call call = CALL_ENTER();
  const struct library *library = call.library;
  struct omp_team *team = call.is_traced ? implicit_of(call.thread)->team : NULL;
  if (!team || !team->is_started_apart)
    return library->GOMP_parallel_end();
  parallel_end_primary(call.thread, team);
  library->GOMP_parallel_end();
  parallel_end(call.thread, team, call.code);
}
