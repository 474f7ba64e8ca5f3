/* A processor for a thread that is to work beside its creator from the first moment on. */
#ifndef STAVE_BASE_ELSEWHERE_H
#define STAVE_BASE_ELSEWHERE_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* The processors that the caller may use; none: not known. */
void elsewhere_usable(cpu_set_t *ret);

/* The number-th (from 1 on) of them after the caller's. The kernel leaves a new thread on the processor of
 * the one that has made it, for 10 to 40 ms, though another one is idle. False: there is none. */
bool elsewhere_of(const cpu_set_t *usable, unsigned number, cpu_set_t *ret);

/* The thread began on such a processor, but stays where the kernel likes. For its creator to call: where a
 * thread of real-time priority has the processor it may never come to do so itself. */
void elsewhere_leave(pthread_t thread, const cpu_set_t *usable);

#endif
