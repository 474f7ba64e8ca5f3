/* loads WHAT NUMBER: what there can be a lot of. Prints the number and the peak of the memory it has used itself, in
 * KiB.
 *
 * threads: plain threads one after another, each with a parallel region of its own (its
 * outermost construct: libomp 14 crashes with any tool in a critical section of such a thread). tasks: tasks that all
 * wait to be run at once (KMP_ENABLE_TASK_THROTTLING=0). */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile long sum;

static void *use_openmp(void *unused) {
  (void)unused;
#pragma omp parallel num_threads(1)
  sum++;
  return NULL;
}

static void threads(long number) {
  for (long i = 0; i < number; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, use_openmp, NULL) == 0)
      pthread_join(thread, NULL);
  }
}

/* Nobody runs one before the last is made: the other thread of the team, which is what makes them wait at all, looks
 * on. */
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

int main(int argc, char **argv) {
  long number = argc > 2 ? atol(argv[2]) : 0;
  if (argc > 1 && !strcmp(argv[1], "threads"))
    threads(number);
  else if (argc > 1)
    tasks(number);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fprintf(stderr, "%ld\n", usage.ru_maxrss);
  printf("%ld\n", sum);
  return sum != number;
}
