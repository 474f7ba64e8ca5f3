/* Worksharing regions. */
#ifndef STAVE_LIBGOMP_WORK_H
#define STAVE_LIBGOMP_WORK_H

#include "libgomp/thread.h"

/* The calling thread's implicit task begins `work`, at the call. */
void work_begin(struct omp_call call, struct work work);

/* The region in which the calling thread's implicit task is. Nothing, if it is in none. */
void work_end(struct omp_call call);

/* Ends that cannot be seen, of single and scope: they have ended where the thread comes to what cannot be in
 * one. Whether one was open. */
bool work_end_single(struct omp_call call);

/* Iterations of a loop that goes from one bound to another one, `distance` away, in steps of +- `width`. */
static inline uint64_t work_iterations(uint64_t distance, uint64_t width) {
  return distance == 0 || width == 0 ? 0 : (distance - 1) / width + 1;
}

/* The kind of a loop's schedule that is known at run time only. */
ompt_work_t work_kind_of_runtime(const struct library *library);

/* The kind of a schedule as compilers hand it over (GFS_...). */
ompt_work_t work_kind_of(const struct library *library, long schedule);

#endif
