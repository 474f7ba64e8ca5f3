/* How long each thread of the program has run, and was ready without a processor: queried of the kernel from
 * outside, some ten times a second, so that no thread does anything for it. */
#ifndef STAVE_WRITER_KERNEL_RUN_TIMES_H
#define STAVE_WRITER_KERNEL_RUN_TIMES_H

#include <sys/types.h>

#include "session/clock.h"
#include "writer/definitions/definitions.h"

struct run_times;

/* Of the threads that are locations of the definitions. begin: of the session. */
struct run_times *run_times_create(pid_t pid, enum clock_kind clock_kind, const struct clock_point *begin,
                                   struct definitions *definitions);
void run_times_destroy(struct run_times *times);

/* Reads what there is, if that is due. NULL is fine, here and below. */
void run_times_look(struct run_times *times);

/* The caller, always the same thread, has just slept, and was to wake up at `until_ns` at the latest. */
void run_times_slept(struct run_times *times, uint64_t until_ns);

/* How many threads it knows by now; of NULL none. */
size_t run_times_threads(struct run_times *times);

/* Reads it now: the program has ended, or is about to. */
void run_times_end(struct run_times *times);

/* Properties of the process and of its threads. Once their definitions are written. */
void run_times_write(struct run_times *times);

#endif
