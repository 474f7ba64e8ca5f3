/* The C library's pthread_setaffinity_np, with a count of the threads that others let go where they like. */
#ifndef STAVE_TESTS_UNIT_LET_GO_H
#define STAVE_TESTS_UNIT_LET_GO_H

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static _Atomic unsigned let_go;

int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *processors) {
  static int (*real)(pthread_t, size_t, const cpu_set_t *);
  real =
      real ? real : (int (*)(pthread_t, size_t, const cpu_set_t *))dlsym(RTLD_NEXT, "pthread_setaffinity_np");
  let_go += !pthread_equal(thread, pthread_self());
  return real(thread, bytes, processors);
}

static bool has_several_processors(void) {
  cpu_set_t processors;
  return sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1;
}

#endif
