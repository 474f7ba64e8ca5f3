/* Worksharing regions. */
#ifndef STAVE_LIBGOMP_WORK_H
#define STAVE_LIBGOMP_WORK_H

#include "libgomp/callbacks.h"
#include "libgomp/thread.h"

/* The calling thread's implicit task begins `work`, at the call. */
void work_begin(struct omp_thread *thread, const void *code, ompt_work_t kind, uint64_t count, int64_t step);

/* The region in which the calling thread's implicit task is. Nothing, if it is in none. */
void work_end(struct omp_thread *thread);

/* The same without an event: a cancelled one has no other end than that. */
void work_forget(struct omp_thread *thread);

/* The thread comes to what cannot be in a single or scope, the end of which is not seen. */
void work_leave_single(struct omp_thread *thread);

/* The thread comes to a single or scope. */
void work_begin_single(struct omp_thread *thread, const void *code, ompt_work_t kind);

/* Iterations of a loop that goes over `distance` in steps of `width`. */
static inline uint64_t work_iterations(uint64_t distance, uint64_t width) {
  if (LIKELY(width == 1))
    return distance;
  return distance == 0 || width == 0 ? 0 : (distance - 1) / width + 1;
}

/* Of a loop of long, and of one of unsigned long long, the direction of which is not in its step. */
static inline uint64_t work_count(int64_t start, int64_t end, int64_t step) {
  if (step > 0)
    return start < end ? work_iterations((uint64_t)end - (uint64_t)start, (uint64_t)step) : 0;
  return end < start ? work_iterations((uint64_t)start - (uint64_t)end, -(uint64_t)step) : 0;
}

static inline uint64_t work_count_ull(bool is_up, uint64_t start, uint64_t end, uint64_t step) {
  if (is_up)
    return start < end ? work_iterations(end - start, step) : 0;
  return end < start ? work_iterations(start - end, -step) : 0;
}

/* Of a chunk, whose bounds are in the right order. */
static inline ompt_dispatch_chunk_t work_chunk(uint64_t first, uint64_t last, int64_t step) {
  uint64_t count = step > 0 ? work_iterations(last - first, (uint64_t)step)
                            : work_iterations(first - last, -(uint64_t)step);
  return (ompt_dispatch_chunk_t){first, count};
}

/* The kind of a loop's schedule that is known at run time only. */
ompt_work_t work_kind_of_runtime(const struct library *library);

/* The kind of a schedule as compilers hand it over (GFS_...). */
ompt_work_t work_kind_of(const struct library *library, long schedule);

static inline void work_deliver_chunk(struct implicit *implicit, ompt_dispatch_chunk_t chunk) {
  implicit->chunk = chunk;
  DELIVER(dispatch, implicit->parallel, &implicit->task.data, OMPT_DISPATCH_ws_loop_chunk,
          (ompt_data_t){.ptr = &implicit->chunk});
}

#endif
