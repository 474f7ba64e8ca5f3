/* Mutual exclusion of all kinds. */
#ifndef STAVE_LIBGOMP_MUTEX_H
#define STAVE_LIBGOMP_MUTEX_H

#include "libgomp/callbacks.h"
#include "libgomp/thread.h"

/* libgomp's mutexes and locks wait in the kernel, by futex. */
enum { MUTEX_IMPL_futex = 1 };

static inline void mutex_acquire(struct omp_call call, ompt_mutex_t kind, ompt_state_t state,
                                 const void *wait) {
  call.thread->wait = (ompt_wait_id_t)(uintptr_t)wait;
  call.thread->state = state;
  DELIVER(mutex_acquire, kind, 0, MUTEX_IMPL_futex, (ompt_wait_id_t)(uintptr_t)wait, call.code);
}

static inline void mutex_acquired(struct omp_call call, ompt_mutex_t kind, const void *wait) {
  call.thread->state = call.thread->work_state;
  DELIVER(mutex_acquired, kind, (ompt_wait_id_t)(uintptr_t)wait, call.code);
}

static inline void mutex_released(struct omp_call call, ompt_mutex_t kind, const void *wait) {
  DELIVER(mutex_released, kind, (ompt_wait_id_t)(uintptr_t)wait, call.code);
}

#endif
