/* Parallel regions: what the constructs that have one share. */
#ifndef STAVE_LIBGOMP_PARALLEL_H
#define STAVE_LIBGOMP_PARALLEL_H

#include "libgomp/thread.h"

/* What libgomp calls in each member of the team, in place of the program's outlined function. */
void parallel_member(void *team);

/* `team` is filled with what is the construct's own, and has been given back at the end: around libgomp's own
 * function, which gives parallel_member and the team to the threads. */
void parallel_begin(struct omp_call call, struct omp_team *team, unsigned requested_threads, void *frame);
void parallel_end(struct omp_thread *thread, struct omp_team *team, const void *code);

/* The same end where nothing else is at hand: of the region that the calling thread is in. */
void parallel_leave(void);

/* Where the program calls its outlined function itself in the primary thread: around that. */
void parallel_begin_primary(struct omp_thread *thread, struct omp_team *team);
void parallel_end_primary(struct omp_thread *thread, struct omp_team *team);

/* The memory of a region, for as long. NULL: there is none. */
static inline struct omp_team *team_get(struct omp_thread *thread) {
  return arena_get(&thread->arena, ARENA_TEAMS, sizeof(struct omp_team));
}

/* Whether there is, for one. */
static inline bool team_is_there(struct omp_thread *thread) {
  return arena_has(&thread->arena, ARENA_TEAMS, sizeof(struct omp_team));
}

static inline void team_give(struct omp_thread *thread, struct omp_team *team) {
  if (!team->is_on_stack)
    arena_give(&thread->arena, ARENA_TEAMS, team);
}

#endif
