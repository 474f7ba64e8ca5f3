/* Parallel regions: what the constructs that have one share. */
#ifndef STAVE_LIBGOMP_PARALLEL_H
#define STAVE_LIBGOMP_PARALLEL_H

#include "libgomp/thread.h"

/* What libgomp calls in each member of the team, in place of the program's outlined function. */
void parallel_member(void *team);

/* Around libgomp's own function, which gives parallel_member and the team to the threads. */
void parallel_begin(struct omp_call call, struct omp_team *team, unsigned requested_threads);
void parallel_end(struct omp_call call, struct omp_team *team);

/* Where the program calls its outlined function itself in the primary thread: around that. */
void parallel_begin_primary(struct omp_thread *thread, struct omp_team *team);
void parallel_end_primary(struct omp_thread *thread, struct omp_team *team);

/* The memory of a region that begins and ends in two calls, for as long. NULL: there is none. */
struct omp_team *team_get(struct omp_thread *thread);
void team_give(struct omp_thread *thread, struct omp_team *team);

#endif
