/* Regions in which a thread waits for others. */
#ifndef STAVE_LIBGOMP_BARRIER_H
#define STAVE_LIBGOMP_BARRIER_H

#include "libgomp/thread.h"

/* Around libgomp's own function: the region `kind` and its waiting. Explicit tasks may run in between. */
void wait_begin(struct omp_call call, ompt_sync_region_t kind);
void wait_end(struct omp_call call, ompt_sync_region_t kind);

/* The barrier at the end of a worksharing region. */
static inline void workshare_barrier_begin(struct omp_call call) {
  wait_begin(call, OMPT_SYNC_REGION_barrier_implicit_workshare);
}

static inline void workshare_barrier_end(struct omp_call call) {
  wait_end(call, OMPT_SYNC_REGION_barrier_implicit_workshare);
}

#endif
