/* held LOCK: a thread holds a lock of the C library's, or waits where the C library holds one, until another
 * thread has been through OpenMP events: the first ones in a library, and those of new threads. `begins` in
 * LOCK: OpenMP begins only then. Exit status 3: the events did not come to an end meanwhile. */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/held.h"

enum { THREADS = 4 };

void lock_events(omp_lock_t *lock);
void few_events(int threads, omp_lock_t *lock);
void many_events(int threads);

static struct {
  omp_lock_t lock;
  bool has_many; /* all kinds of events, new threads and OpenMP's beginning: where the runtime can */
} test;

static void events(int threads) {
  if (test.has_many)
    many_events(threads);
  else
    few_events(threads, &test.lock);
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
  alarm(HELD_LIMIT_S);
  pthread_mutex_lock(&allocator);
  flockfile(stderr);
  raise(SIGUSR1);
  funlockfile(stderr);
  pthread_mutex_unlock(&allocator);
  alarm(0);
  let_the_other_go_on();
}

static const struct holder holders[] = {
    {"libraries", hold_list_of_libraries, true, false},
    {"malloc", hold_allocator, false, false},
    {"stdio", hold_streams, true, false},
    {"constructor", hold_linker, true, false},
    {"fork", hold_fork, true, false},
    {"handler", hold_in_handler, false, false},
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
  sem_post(&held.ready);
  wait_for(&held.is_held);
  events(test.has_many ? THREADS : 2);
  if (test.has_many && pthread_create(&another, NULL, begin_anew, NULL) == 0)
    pthread_join(another, NULL);
  sem_post(&held.is_done);
  return NULL;
}

int main(int argc, char **argv) {
  const struct holder *holder =
      argc > 1 ? find_holder(holders, sizeof holders / sizeof *holders, argv[1]) : NULL;
  bool begins = argc > 2 && strcmp(argv[2], "begins") == 0;
  if (!holder)
    return 2;
  test.has_many = holder->has_many;
  if (!begins) {
    omp_init_lock(&test.lock);
    warm_up(1);
    warm_up(THREADS);
  }
  return hold_meanwhile(holder, go_on, begins ? argv : NULL);
}
