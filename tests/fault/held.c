/* held LOCK: a thread holds a lock of the C library's, or waits where the C library holds one, until another
 * thread has been through OpenMP events: the first ones in a library, and those of new threads. `begins` in
 * LOCK: OpenMP begins only then. Exit status 3: the events did not come to an end meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 30, THREADS = 4, NOT_DONE = 3 };

void lock_events(omp_lock_t *lock);
void few_events(int threads, omp_lock_t *lock);
void many_events(int threads);
void held_by_constructor(void);

static struct {
  sem_t ready, is_held, is_done;
  omp_lock_t lock;
  bool is_late, has_many;
} test;

static void events(int threads) {
  if (test.has_many)
    many_events(threads);
  else
    few_events(threads, &test.lock);
}

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
  limit.tv_sec += LIMIT_S;
  int result;
  while ((result = sem_timedwait(event, &limit)) < 0 && errno == EINTR) {
  }
  test.is_late |= result < 0;
}

static void let_the_other_go_on(void) {
  sem_post(&test.is_held);
  wait_for(&test.is_done);
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
    test.is_late = true;
}

static void hold_fork(void) {
  pthread_atfork(let_the_other_go_on, NULL, NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
}

/* The events come from a handler that has interrupted the allocator's user. */
static void on_signal(int number) {
  (void)number;
  lock_events(&test.lock);
}

static void hold_in_handler(void) {
  signal(SIGUSR1, on_signal);
  alarm(LIMIT_S);
  pthread_mutex_lock(&allocator);
  flockfile(stderr);
  raise(SIGUSR1);
  funlockfile(stderr);
  pthread_mutex_unlock(&allocator);
  alarm(0);
  let_the_other_go_on();
}

static const struct holder {
  const char *name;
  void (*hold)(void);
  bool has_many; /* for all kinds of events, new threads and OpenMP's beginning the runtime does without it */
} holders[] = {
    {"libraries", hold_list_of_libraries, true},
    {"malloc", hold_allocator, false},
    {"stdio", hold_streams, true},
    {"constructor", hold_linker, true},
    {"fork", hold_fork, true},
    {"handler", hold_in_handler, false},
};

/* -- who goes on -- */

static void warm_up(int threads) {
#pragma omp parallel num_threads(threads)
  {
    omp_set_lock(&test.lock);
    omp_unset_lock(&test.lock);
#pragma omp barrier
  }
}

static void *begin_anew(void *data) {
  events(1);
  return data;
}

static void *go_on(void *begins) {
  pthread_t another;
  if (!begins)
    warm_up(2);
  sem_post(&test.ready);
  wait_for(&test.is_held);
  events(test.has_many ? THREADS : 2);
  if (test.has_many && pthread_create(&another, NULL, begin_anew, NULL) == 0)
    pthread_join(another, NULL);
  sem_post(&test.is_done);
  return NULL;
}

static const struct holder *find_holder(const char *name) {
  for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
    if (strcmp(holders[i].name, name) == 0)
      return &holders[i];
  return NULL;
}

int main(int argc, char **argv) {
  const struct holder *holder = argc > 1 ? find_holder(argv[1]) : NULL;
  bool begins = argc > 2 && strcmp(argv[2], "begins") == 0;
  pthread_t other;
  if (!holder)
    return 2;
  test.has_many = holder->has_many;
  if (!begins) {
    omp_init_lock(&test.lock);
    warm_up(1);
    warm_up(THREADS);
  }
  pthread_create(&other, NULL, go_on, begins ? argv : NULL);
  wait_for(&test.ready);
  holder->hold();
  pthread_join(other, NULL);
  return test.is_late ? NOT_DONE : 0;
}
