#include "base/blocked_thread.h"

#include <signal.h>

int blocked_thread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *data) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int error = pthread_create(ret, attributes, start, data);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}
