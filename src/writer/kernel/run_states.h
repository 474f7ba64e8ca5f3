/* Whether each thread of the program runs, is preempted or blocked (STAVE_SYSTEM): queried of the kernel from
 * outside, so that no thread does anything for it. */
#ifndef STAVE_WRITER_KERNEL_RUN_STATES_H
#define STAVE_WRITER_KERNEL_RUN_STATES_H

#include "session/layout.h"
#include "writer/correlate/correlate.h"
#include "writer/pipeline/ring_merge.h"

struct run_states;

/* Watches the threads that the correlator encounters from now on. NULL, and why in *ret_error, if the kernel
 * does not let us see those of the process. */
struct run_states *run_states_create(struct correlator *correlator, const struct session_constants *constants,
                                     int *ret_error);
void run_states_destroy(struct run_states *states);

/* STAVE_KEEP: what is reported of the threads that run_states_deliver has encountered waits for
 * run_states_hand_on. NULL is fine, here and below. */
void run_states_keep(struct run_states *states);

/* Hands what the kernel has reported of the time up to that, and is not handed on yet, to the sink: records
 * for running_add, in the order of time. */
void run_states_hand_on(struct run_states *states, uint64_t until, merge_sink sink, void *data);

/* A record of a thread's begin, which the sink gets, too, or of its end. */
void run_states_deliver(struct run_states *states, uint32_t slot, const struct record *record,
                        merge_sink sink, void *data);

/* Hands the correlator what happened before a record with this time, if it has not got it yet. */
void run_states_read(struct run_states *states, uint64_t ticks);

/* Room for what comes is made, in all rings. To be called now and then. */
void run_states_empty(struct run_states *states);

/* How full the fullest one was since the last question, from 0 to 1. */
double run_states_max_fill(struct run_states *states);

#endif
