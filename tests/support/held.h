/* A program in which a thread holds a lock of the C library's, or waits where the C library holds one, until
 * another thread has made events. */
#ifndef STAVE_TESTS_SUPPORT_HELD_H
#define STAVE_TESTS_SUPPORT_HELD_H

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HELD_LIMIT_S = 30, NOT_DONE = 3 };

void held_by_constructor(void);

static struct {
  sem_t ready, is_held, is_done;
  bool is_late;
} held;

/* -- the program's own allocator -- */

static pthread_mutex_t allocator = PTHREAD_MUTEX_INITIALIZER;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define ALLOCATED(expression)                                                                                \
  pthread_mutex_lock(&allocator);                                                                            \
  void *memory = (expression);                                                                               \
  pthread_mutex_unlock(&allocator);                                                                          \
  return memory;

void *malloc(size_t bytes) {
  ALLOCATED(__libc_malloc(bytes))
}

void *calloc(size_t count, size_t bytes) {
  ALLOCATED(__libc_calloc(count, bytes))
}

void *realloc(void *old, size_t bytes) {
  ALLOCATED(__libc_realloc(old, bytes))
}

void *memalign(size_t alignment, size_t bytes) {
  ALLOCATED(__libc_memalign(alignment, bytes))
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

int posix_memalign(void **ret, size_t alignment, size_t bytes) {
  *ret = memalign(alignment, bytes);
  return *ret ? 0 : ENOMEM;
}

void free(void *memory) {
  pthread_mutex_lock(&allocator);
  __libc_free(memory);
  pthread_mutex_unlock(&allocator);
}

/* -- who holds -- */

static void wait_for(sem_t *event) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += HELD_LIMIT_S;
  int result;
  while ((result = sem_timedwait(event, &limit)) < 0 && errno == EINTR) {
  }
  held.is_late |= result < 0;
}

static void let_the_other_go_on(void) {
  sem_post(&held.is_held);
  wait_for(&held.is_done);
}

static int at_first_library(struct dl_phdr_info *info, size_t size, void *data) {
  (void)info, (void)size, (void)data;
  let_the_other_go_on();
  return 1;
}

static void hold_list_of_libraries(void) {
  dl_iterate_phdr(at_first_library, NULL);
}

static void hold_allocator(void) {
  pthread_mutex_lock(&allocator);
  let_the_other_go_on();
  pthread_mutex_unlock(&allocator);
}

static void hold_streams(void) {
  flockfile(stdout);
  flockfile(stderr);
  let_the_other_go_on();
  funlockfile(stderr);
  funlockfile(stdout);
}

void held_by_constructor(void) {
  let_the_other_go_on();
}

static void hold_linker(void) {
  if (!dlopen(getenv("HELD_LIBRARY"), RTLD_NOW | RTLD_GLOBAL))
    held.is_late = true;
}

/* -- all of them -- */

struct holder {
  const char *name;
  void (*hold)(void);
  bool has_many, has_windows; /* the other thread's actions: each program documents them */
};

static const struct holder *find_holder(const struct holder *holders, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(holders[i].name, name) == 0)
      return &holders[i];
  return NULL;
}

/* Holds while the other thread is at work. Returns the exit status. */
static int hold_meanwhile(const struct holder *holder, void *(*go_on)(void *data), void *data) {
  pthread_t other;
  pthread_create(&other, NULL, go_on, data);
  wait_for(&held.ready);
  holder->hold();
  pthread_join(other, NULL);
  return held.is_late ? NOT_DONE : 0;
}

#endif
