/* Target constructs: what their entry points share. */
#ifndef STAVE_LIBGOMP_TARGET_H
#define STAVE_LIBGOMP_TARGET_H

#include <stddef.h>

#include "libgomp/thread.h"

/* Bits of what compilers hand over as flags (GOMP_TARGET_FLAG_...). */
enum { GOMP_TARGET_NOWAIT = 1 << 0, GOMP_TARGET_EXIT_DATA = 1 << 1 };

/* One construct's region, while it lasts. */
struct target_region {
  ompt_target_t kind;
  int device;                 /* OMPT's number */
  ompt_data_t *task;          /* that has encountered it */
  ompt_data_t *target_task;   /* NULL: its creator's own */
  struct omp_task *innermost; /* of the thread, before it */
  struct work work;           /* of the implicit task around it, before it */
  unsigned loop_dimensions;
  bool is_after_single;
  uint32_t state;
  ompt_data_t data;
  ompt_id_t id; /* in the plain form */
  const void *code;
};

/* Around what libgomp does for the construct. `region` has its first four members. */
void target_begin(struct omp_call call, struct target_region *region);
void target_end(struct omp_call call, struct target_region *region);

static inline bool target_is_on_host(const struct omp_thread *thread, const struct target_region *region) {
  return region->device == thread->library->omp_get_initial_device();
}

/* The construct's arguments, as compilers hand them over. */
struct target_maps {
  size_t count;
  void **addresses;
  size_t *sizes;
  unsigned short *kinds;
};

/* A region that runs on the host as a task of its own: it waits for dependences, or the thread does not wait
 * for it. False: there is no memory, and nothing has been done. */
bool target_run_as_task(struct omp_call call, int device, void (*fn)(void *), struct target_maps maps,
                        unsigned flags, void **dependences, void **arguments);

/* Ends the leagues that have started in a region that runs on the host, until `innermost` goes on. */
void target_end_leagues(struct omp_thread *thread, const struct omp_task *innermost);

#endif
