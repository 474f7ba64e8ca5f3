/* held LOCK: a thread holds a lock of the C library's, or waits where the C library holds one, until another
 * thread has made calls of MPI: the first ones of their functions, or those for which MPI asks for no memory.
 * Exit status 3: they did not come to an end meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT_S = 20, NOT_DONE = 3, MESSAGES = 100, TAG = 5 };

void held_by_constructor(void);

static struct {
  sem_t ready, is_held, is_done;
  bool is_late, has_many, has_windows;
} test;

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

static const struct holder {
  const char *name;
  void (*hold)(void);
  bool has_many;    /* calls that MPI asks for memory in */
  bool has_windows; /* calls that Open MPI asks the linker in */
} holders[] = {
    {"libraries", hold_list_of_libraries, true, false},
    {"constructor", hold_linker, true, false},
    {"stdio", hold_streams, true, true},
    {"malloc", hold_allocator, false, false},
};

/* -- who goes on -- */

/* More requests than libstave-mpi.so has room for on its stack. */
static void exchange(void) {
  static int sent[MESSAGES], received[MESSAGES];
  MPI_Request requests[2 * MESSAGES];
  for (int i = 0; i < MESSAGES; i++)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < MESSAGES; i++)
    MPI_Isend(&sent[i], 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &requests[MESSAGES + i]);
  MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
}

/* -- first calls -- */

static void make_communicators(void) {
  enum { COUNT = 8 };
  MPI_Comm made[COUNT];
  char name[] = "held";
  for (int i = 0; i < COUNT; i++) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made[i]);
    MPI_Comm_set_name(made[i], name);
  }
  for (int i = 0; i < COUNT; i++) {
    MPI_Barrier(made[i]);
    MPI_Comm_free(&made[i]);
  }
}

static void open_epochs(void) {
  int memory[4] = {0}, value = 1;
  MPI_Win window;
  MPI_Group group;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Win_free(&window);
}

static void first_calls(void) {
  int value = 0, other = 0, flag;
  MPI_Status status;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&value, 1, MPI_INT, 0, TAG, &other, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &status);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  make_communicators();
  if (test.has_windows)
    open_epochs();
}

static void *go_on(void *data) {
  exchange();
  sem_post(&test.ready);
  wait_for(&test.is_held);
  exchange();
  if (test.has_many)
    first_calls();
  sem_post(&test.is_done);
  return data;
}

static const struct holder *find_holder(const char *name) {
  for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
    if (strcmp(holders[i].name, name) == 0)
      return &holders[i];
  return NULL;
}

int main(int argc, char **argv) {
  const struct holder *holder = argc > 1 ? find_holder(argv[1]) : NULL;
  int provided;
  pthread_t other;
  if (!holder)
    return 2;
  test.has_many = holder->has_many;
  test.has_windows = holder->has_windows;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_create(&other, NULL, go_on, NULL);
  wait_for(&test.ready);
  holder->hold();
  pthread_join(other, NULL);
  MPI_Finalize();
  return test.is_late ? NOT_DONE : 0;
}
