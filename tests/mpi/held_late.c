/* held_late LIBRARY: an MPI that comes with a library which the program loads itself. Its first call is made
 * while another thread is inside of dl_iterate_phdr. Exit status 3: it did not come to an end meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { LIMIT_S = 20, NOT_DONE = 3 };

typedef int first_call(void);
typedef void job(void);

static struct {
  sem_t is_held, is_done;
  first_call *first;
  bool is_late;
} test;

static int hold(struct dl_phdr_info *info, size_t size, void *data) {
  struct timespec limit;
  (void)info, (void)size, (void)data;
  sem_post(&test.is_held);
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += LIMIT_S;
  test.is_late = sem_timedwait(&test.is_done, &limit) < 0;
  return 1;
}

static void *call_first(void *data) {
  sem_wait(&test.is_held);
  if (test.first() != 0)
    test.is_late = true;
  sem_post(&test.is_done);
  return data;
}

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
  pthread_t other;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  test.first = (first_call *)dlsym(library, "first_call");
  job *complete_job = (job *)dlsym(library, "complete_job");
  pthread_create(&other, NULL, call_first, NULL);
  dl_iterate_phdr(hold, NULL);
  pthread_join(other, NULL);
  complete_job();
  return test.is_late ? NOT_DONE : 0;
}
