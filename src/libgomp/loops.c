/* Loops whose chunks libgomp hands out. What is static and not ordered is computed by the program alone. */
#include "libgomp/barrier.h"
#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/parallel.h"
#include "libgomp/work.h"

typedef unsigned long long ull;

/* Where all calls mean one libgomp, the chunks of a loop with step 1 that follow need no more than
 * loop_entries.c does, until the thread ends the loop or begins another region. */
static void chunk(struct omp_call call, uint64_t first, uint64_t last) {
  struct implicit *implicit = implicit_of(call.thread);
  int64_t step = implicit->work.step;
  work_deliver_chunk(implicit, work_chunk(first, last, step));
  if (step == 1 && call.library == &library_in_scope)
    call.thread->unit_loop = implicit;
}

/* -- what differs between loops of long and of unsigned long long -- */

#define NAME_long(name) GOMP_loop_##name
#define NAME_ull(name) GOMP_loop_ull_##name
#define UP_PARAMETER_long
#define UP_PARAMETER_ull bool is_up,
#define UP_ARGUMENT_long
#define UP_ARGUMENT_ull is_up,
#define COUNT_long work_count(start, end, step)
#define COUNT_ull work_count_ull(is_up, start, end, step)

/* -- start: where the program computes its chunks, it requests none here, and its bounds are made up -- */

#define START_NOTING(name, parameters, arguments, kind_, count_, step_, note, begin)                         \
  bool name parameters {                                                                                     \
    note;                                                                                                    \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    if (!call.is_traced)                                                                                     \
      return library->name arguments;                                                                        \
    begin;                                                                                                   \
    work_begin(call.thread, call.code, kind_, first ? count_ : 0, (int64_t)step_);                           \
    bool has_chunk = library->name arguments;                                                                \
    if (has_chunk && first)                                                                                  \
      chunk(call, (uint64_t)*first, (uint64_t)*last);                                                        \
    return has_chunk;                                                                                        \
  }
#define START(...) START_NOTING(__VA_ARGS__, (void)0, (void)0)

#define LOOP(type, schedule, kind)                                                                           \
  START(NAME_##type(schedule##_start),                                                                       \
        (UP_PARAMETER_##type type start, type end, type step, type size, type * first, type * last),         \
        (UP_ARGUMENT_##type start, end, step, size, first, last), OMPT_WORK_loop_##kind, COUNT_##type, step)
#define LOOP_RUNTIME(type, schedule)                                                                         \
  START(NAME_##type(schedule##_start),                                                                       \
        (UP_PARAMETER_##type type start, type end, type step, type * first, type * last),                    \
        (UP_ARGUMENT_##type start, end, step, first, last), work_kind_of_runtime(library), COUNT_##type,     \
        step)
#define LOOP_GIVEN(type, name)                                                                               \
  START(NAME_##type(name),                                                                                   \
        (UP_PARAMETER_##type type start, type end, type step, long schedule, type size, type *first,         \
         type *last, uintptr_t *reductions, void **memory),                                                  \
        (UP_ARGUMENT_##type start, end, step, schedule, size, first, last, reductions, memory),              \
        work_kind_of(library, schedule), COUNT_##type, step)

static void note_dimensions(unsigned dimensions) {
  if (dimensions > thread_self.most_dimensions)
    thread_self.most_dimensions = dimensions;
}

#define SET_DIMENSIONS implicit_of(call.thread)->loop_dimensions = dimensions
#define START_DOACROSS(...)                                                                                  \
  START_NOTING(__VA_ARGS__, (uint64_t)counts[0], 1, note_dimensions(dimensions), SET_DIMENSIONS)
#define DOACROSS(type, schedule)                                                                             \
  START_DOACROSS(NAME_##type(doacross_##schedule##_start),                                                   \
                 (unsigned dimensions, type *counts, type size, type *first, type *last),                    \
                 (dimensions, counts, size, first, last), OMPT_WORK_loop_##schedule)
#define DOACROSS_RUNTIME(type)                                                                               \
  START_DOACROSS(NAME_##type(doacross_runtime_start),                                                        \
                 (unsigned dimensions, type *counts, type *first, type *last),                               \
                 (dimensions, counts, first, last), work_kind_of_runtime(library))
#define DOACROSS_GIVEN(type)                                                                                 \
  START_DOACROSS(NAME_##type(doacross_start),                                                                \
                 (unsigned dimensions, type *counts, long schedule, type size, type *first, type *last,      \
                  uintptr_t *reductions, void **memory),                                                     \
                 (dimensions, counts, schedule, size, first, last, reductions, memory),                      \
                 work_kind_of(library, schedule))

/* -- next -- */

#define NEXT_NAMED(type, name)                                                                               \
  bool name(type *first, type *last) {                                                                       \
    struct omp_call call = CALL_ENTER();                                                                     \
    if (!call.is_traced)                                                                                     \
      return call.library->name(first, last);                                                                \
    bool has_chunk = call.library->name(first, last);                                                        \
    if (has_chunk)                                                                                           \
      chunk(call, (uint64_t)*first, (uint64_t)*last);                                                        \
    return has_chunk;                                                                                        \
  }
#define NEXT(type, schedule) NEXT_NAMED(type, NAME_##type(schedule##_next))

#define WITH_CHUNKS(type, schedule, kind)                                                                    \
  LOOP(type, schedule, kind)                                                                                 \
  NEXT(type, schedule)
#define WITH_RUNTIME(type, schedule)                                                                         \
  LOOP_RUNTIME(type, schedule)                                                                               \
  NEXT(type, schedule)

#define LOOPS(type)                                                                                          \
  WITH_CHUNKS(type, static, static)                                                                          \
  WITH_CHUNKS(type, dynamic, dynamic)                                                                        \
  WITH_CHUNKS(type, guided, guided)                                                                          \
  WITH_CHUNKS(type, ordered_static, static)                                                                  \
  WITH_CHUNKS(type, ordered_dynamic, dynamic)                                                                \
  WITH_CHUNKS(type, ordered_guided, guided)                                                                  \
  WITH_CHUNKS(type, nonmonotonic_dynamic, dynamic)                                                           \
  WITH_CHUNKS(type, nonmonotonic_guided, guided)                                                             \
  WITH_RUNTIME(type, runtime)                                                                                \
  WITH_RUNTIME(type, ordered_runtime)                                                                        \
  WITH_RUNTIME(type, nonmonotonic_runtime)                                                                   \
  WITH_RUNTIME(type, maybe_nonmonotonic_runtime)                                                             \
  LOOP_GIVEN(type, start)                                                                                    \
  LOOP_GIVEN(type, ordered_start)                                                                            \
  DOACROSS(type, static)                                                                                     \
  DOACROSS(type, dynamic)                                                                                    \
  DOACROSS(type, guided)                                                                                     \
  DOACROSS_RUNTIME(type)                                                                                     \
  DOACROSS_GIVEN(type)

LOOPS(long)
LOOPS(ull)

/* -- end -- */

void GOMP_loop_end(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_loop_end();
  work_end(call.thread);
  workshare_barrier_begin(call);
  call.library->GOMP_loop_end();
  workshare_barrier_end(call);
}

bool GOMP_loop_end_cancel(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_loop_end_cancel();
  work_end(call.thread);
  workshare_barrier_begin(call);
  bool is_cancelled = call.library->GOMP_loop_end_cancel();
  workshare_barrier_end(call);
  return is_cancelled;
}

void GOMP_loop_end_nowait(void) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_loop_end_nowait();
  call.library->GOMP_loop_end_nowait();
  work_end(call.thread);
}
