/* Threads of Stave's own. */
#ifndef STAVE_BASE_BLOCKED_THREAD_H
#define STAVE_BASE_BLOCKED_THREAD_H

#include <pthread.h>

/* pthread_create of a thread with all signals blocked: they are for the threads that wait for them. A signal
 * to the process goes to any thread that has it not blocked; SIGCHLD would be lost there, and SIGTERM end the
 * process. */
int blocked_thread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *data);

#endif
