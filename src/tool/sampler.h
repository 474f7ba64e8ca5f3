/* Sampling of thread states (STAVE_SAMPLE_HZ): a timer for each thread, whose signal records what the thread
 * is doing.
 *
 * sampler_start, sampler_stop: around a session. sampler_attach: a thread's first event, on that thread.
 * sampler_detach: before its last one. The handler runs on the thread that its timer belongs to; it allocates
 * nothing, acquires no lock, and calls only those functions of the runtime that OpenMP defines as async
 * signal safe (OpenMP 5.1, 4.6.1). */
#ifndef STAVE_TOOL_SAMPLER_H
#define STAVE_TOOL_SAMPLER_H

#include <stdint.h>

struct thread;

/* Chooses the signal and installs the handler, if samples are requested. If none is free, reports it: no
 * samples. */
void sampler_start(void);

/* No handler touches the session afterwards. The signal does nothing then. */
void sampler_stop(void);

/* Starts the calling thread's timer. */
void sampler_attach(struct thread *thread);

/* Stops the timer; a pending signal does nothing. */
void sampler_detach(struct thread *thread);

#endif
