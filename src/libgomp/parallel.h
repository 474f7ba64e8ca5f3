/* Parallel regions: what combined constructs share with parallel alone. */
#ifndef STAVE_LIBGOMP_PARALLEL_H
#define STAVE_LIBGOMP_PARALLEL_H

#include "libgomp/thread.h"

/* What libgomp calls in each member of the team, in place of the program's outlined function. */
void parallel_member(void *team);

/* Around libgomp's own function, which gives parallel_member and the team to the threads. */
void parallel_begin(struct omp_call call, struct omp_team *team, unsigned requested_threads);
void parallel_end(struct omp_call call, struct omp_team *team);

#endif
