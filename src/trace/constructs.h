/* What a region is: one classification for all who show traces. */
#ifndef STAVE_TRACE_CONSTRUCTS_H
#define STAVE_TRACE_CONSTRUCTS_H

#include <stdbool.h>

#include "ompt/constructs.h"
#include "trace/activity.h"
#include "trace/trace.h"

/* What the region is, by its name, and by role and paradigm if the name shows nothing. */
enum construct construct_of_region(const struct trace_region *region);

/* Whether it is a function of MPI, which its paradigm shows; but EZTrace defines these as the program's own
 * functions, under names that are MPI's alone (MPI 4.0, 2.6.2). */
bool construct_is_mpi(const struct trace_region *region);

/* "parallel", "omp_set_lock", ...; "" for those that have no name of their own. Constant memory. */
const char *construct_name(enum construct construct);

enum construct_class construct_class(enum construct construct);

/* Whether it is of OpenMP, and not of another paradigm for devices. */
bool construct_is_openmp(enum construct construct);

/* Whether the host waits in it until a device has done something: hipEventSynchronize and its like. */
bool construct_is_device_wait(const struct trace_region *region);

/* Whether the host may start an operation of a device in it. */
bool construct_may_start(const struct trace_region *region);

/* Of these, those that start a kernel. */
bool construct_starts_kernel(const struct trace_region *region);

/* Whether a stream of a device that is in it computes, and does not move or allocate data. */
bool construct_is_kernel(const struct trace_region *region);

/* Gives what is done in such a region itself. Returns false, and leaves *ret, if that is what is done around
 * it. */
bool construct_activity(enum construct construct, enum activity *ret);

#endif
