/* loads WHAT NUMBER: what there can be a lot of. Prints the number and, on stderr, the peak of the memory it
 * has used, in KiB, and how many timers it has (-1: the kernel does not have it).
 *
 * threads: plain threads one after another, each with a parallel region of its own. critical: each comes to a
 * critical section, the first ones of the program, also after the first of them has ended. locking: each
 * acquires a lock, as the main thread has done. fulfilling: each fulfils the event of a task, which is all
 * the runtime reports of it: no thread_begin and no thread_end. tasks: tasks that all wait to be run
 * immediately (KMP_ENABLE_TASK_THROTTLING=0). nested: teams four deep. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile long sum;

static void run_in_thread(void *(*function)(void *), void *argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, argument) == 0)
    pthread_join(thread, NULL);
}

static void *use_openmp(void *unused) {
  (void)unused;
#pragma omp parallel num_threads(1)
  sum++;
  return NULL;
}

static void threads(long number) {
  for (long i = 0; i < number; i++)
    run_in_thread(use_openmp, NULL);
}

static void *come_to_critical(void *unused) {
  (void)unused;
#pragma omp parallel num_threads(2)
#pragma omp master
  {
#pragma omp critical
    sum++;
  }
  return NULL;
}

static void critical(long number) {
  for (long i = 0; i < number; i++)
    run_in_thread(come_to_critical, NULL);
}

static void *acquire_lock(void *lock) {
  omp_set_lock(lock);
  sum++;
  omp_unset_lock(lock);
  return NULL;
}

static void locking(long number) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (long i = 0; i < number; i++)
    run_in_thread(acquire_lock, &lock);
  omp_destroy_lock(&lock);
}

static void *fulfil(void *event) {
  omp_fulfill_event(*(omp_event_handle_t *)event);
  sum++;
  return NULL;
}

/* The task has ended but for its event when the plain thread comes. */
static void fulfil_one(void) {
  static atomic_int has_run;
  omp_event_handle_t event = 0;
  has_run = 0;
#pragma omp task detach(event)
  has_run = 1;
  while (!has_run) {
#pragma omp taskyield
  }
  run_in_thread(fulfil, &event);
#pragma omp taskwait
}

static void fulfilling(long number) {
  atomic_int is_done = 0;
#pragma omp parallel num_threads(2)
  {
    for (long i = 0; omp_get_thread_num() == 0 && i < number; i++)
      fulfil_one();
    is_done += omp_get_thread_num() == 0;
    while (!is_done)
      usleep(1000);
  }
}

/* Nobody runs one before the last is made: the other thread of the team, which is what makes them wait at
 * all, looks on. */
static void tasks(long number) {
  atomic_int is_made = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (long i = 0; i < number; i++) {
#pragma omp task
        {
#pragma omp atomic
          sum++;
        }
      }
      is_made = 1;
    }
    while (!is_made)
      usleep(1000);
  }
}

/* Teams of two, four deep: 1 + 2 + 4 + 8 of them in a round. Each member counts itself. */
static void nest(int depth) {
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    sum++;
    if (depth > 1)
      nest(depth - 1);
  }
}

static void nested(long number) {
  enum { DEPTH = 4, MEMBERS = 2 + 4 + 8 + 16 };
  omp_set_max_active_levels(DEPTH);
  for (long i = 0; i < number; i++)
    nest(DEPTH);
  sum /= MEMBERS;
}

static const struct {
  const char *name;
  void (*make)(long number);
} loads[] = {{"threads", threads},       {"critical", critical}, {"locking", locking},
             {"fulfilling", fulfilling}, {"nested", nested},     {"tasks", tasks}};

static int count_timers(void) {
  char line[256];
  int timers = 0;
  FILE *file = fopen("/proc/self/timers", "r");
  while (file && fgets(line, sizeof line, file))
    timers += !strncmp(line, "ID:", 3);
  return file ? timers : -1;
}

int main(int argc, char **argv) {
  long number = argc > 2 ? atol(argv[2]) : 0;
  for (size_t i = 0; argc > 1 && i < sizeof loads / sizeof *loads; i++)
    if (!strcmp(argv[1], loads[i].name))
      loads[i].make(number);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fprintf(stderr, "%ld %d\n", usage.ru_maxrss, count_timers());
  printf("%ld\n", sum);
  return sum != number;
}
